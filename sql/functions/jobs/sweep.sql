-- Housekeeping, by any worker at any time: ends the jobs whose lease is over and that nobody may claim
-- again (asked to stop, or no attempt left), and deletes sessions that are over, what is over of
-- attempts to sign in, and addresses that made no request within the last minute. Bounded: what is left
-- waits for the next call.
-- Answers: {"jobs", "sessions", "sign_ins", "addresses"}: how many of each.
-- Raises: KH500 outside READ COMMITTED.
-- Locks: session, the attempts, the address, job (never waits for any), audit.
-- Callers: the worker.
CREATE OR REPLACE FUNCTION jobs.sweep(p_worker text)
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_now timestamptz := clock_timestamp();
    v_sessions integer;
    v_sign_ins integer;
    v_addresses integer;
    v_jobs integer := 0;
    v_job uuid;
BEGIN
    PERFORM hub._require_read_committed();
    v_sessions := hub._sweep_sessions();
    v_sign_ins := hub._sweep_sign_ins();
    WITH ended AS MATERIALIZED (
        SELECT o.address
        FROM jobs_store.request_budget AS o
        WHERE o.times[cardinality(o.times)] <= v_now - interval '60 seconds'
        LIMIT 1000
        FOR NO KEY UPDATE SKIP LOCKED
    )
    DELETE FROM jobs_store.request_budget AS b USING ended AS o WHERE b.address = o.address;
    GET DIAGNOSTICS v_addresses = ROW_COUNT;
    FOR v_job IN
        SELECT j.id
        FROM jobs_store.job AS j
        WHERE j.state = 'running' AND j.lease_until <= v_now
            AND (j.cancel_requested_at IS NOT NULL OR j.attempt >= j.max_attempts)
        ORDER BY j.lease_until, j.id
        LIMIT 100
        FOR NO KEY UPDATE SKIP LOCKED
    LOOP
        PERFORM jobs._leave_running(v_job, 'failed', 'attempts_exhausted', p_sweeper => p_worker);
        v_jobs := v_jobs + 1;
    END LOOP;
    RETURN jsonb_build_object(
        'jobs', v_jobs, 'sessions', v_sessions, 'sign_ins', v_sign_ins, 'addresses', v_addresses);
END;
$$;

COMMENT ON FUNCTION jobs.sweep(text) IS 'Housekeeping: ends what nobody may claim again and deletes what is over.';
GRANT EXECUTE ON FUNCTION jobs.sweep(text) TO hub_worker;
