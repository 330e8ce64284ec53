-- Gives the caller one job to run, with a new lease: no row when there is none. Fair between workspaces,
-- as of this call: expired leases first, then the workspace with the fewest running jobs, then the
-- oldest job. Expired jobs that were asked to stop or have no attempt left are for jobs.sweep.
-- The row is picked and locked by one query with LIMIT 1 at its top and changed by a later statement, so
-- no plan can lock or change a second one.
-- Raises: KH500 outside READ COMMITTED.
-- Locks: job (never waits: a job that somebody holds is passed over), audit.
-- Callers: the worker.
CREATE OR REPLACE FUNCTION jobs.claim(p_worker text, p_kinds text[])
RETURNS TABLE (job_id uuid, lease uuid, kind text, lease_seconds integer, attempt integer)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_now timestamptz := clock_timestamp();
    v_event text := 'job.reclaimed';
BEGIN
    PERFORM hub._require_read_committed();
    lease_seconds := jobs._setting('LeaseSeconds');
    SELECT j.id INTO job_id
    FROM jobs_store.job AS j
    WHERE j.state = 'running' AND j.lease_until <= v_now AND j.kind = ANY (p_kinds)
        AND j.cancel_requested_at IS NULL AND j.attempt < j.max_attempts
    ORDER BY j.lease_until, j.id
    LIMIT 1
    FOR NO KEY UPDATE OF j SKIP LOCKED;
    IF job_id IS NULL THEN
        v_event := 'job.claimed';
        job_id := jobs._pick_queued(p_kinds);
    END IF;
    IF job_id IS NULL THEN
        RETURN;
    END IF;
    UPDATE jobs_store.job AS j
    SET state = 'running',
        attempt = j.attempt + 1,
        lease = gen_random_uuid(),
        lease_until = clock_timestamp() + make_interval(secs => claim.lease_seconds),
        lease_seconds = claim.lease_seconds,
        worker = p_worker,
        page_locked_since = NULL,
        -- What has no outcome per item is done anew by each claim.
        total = CASE WHEN j.itemised THEN j.total ELSE 0 END,
        processed = CASE WHEN j.itemised THEN j.processed ELSE 0 END,
        started_at = coalesce(j.started_at, clock_timestamp()),
        version = j.version + 1
    WHERE j.id = claim.job_id
    RETURNING j.lease, j.kind, j.attempt INTO lease, kind, attempt;
    PERFORM jobs._record_event(
        job_id, v_event, p_worker => p_worker, p_detail => jsonb_build_object('attempt', attempt));
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.claim(text, text[]) IS 'Gives a worker one job to run, with a lease.';
GRANT EXECUTE ON FUNCTION jobs.claim(text, text[]) TO hub_worker;
