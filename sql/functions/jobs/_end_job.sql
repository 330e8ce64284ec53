-- Makes a job terminal: its state, its one event and the end of its worklist in one transaction.
-- Counters, page errors, result, actor and audit stay; pages are never touched.
-- Raises: KH500 (by trigger) when it is terminal already.
-- Locks: job (held by the caller), audit.
-- Callers: jobs._leave_running, jobs._request_cancel.
CREATE OR REPLACE FUNCTION jobs._end_job(
    p_job uuid,
    p_state text,
    p_failure_code text DEFAULT NULL,
    p_result jsonb DEFAULT NULL,
    p_actor uuid DEFAULT NULL,
    p_worker text DEFAULT NULL,
    p_address inet DEFAULT NULL
)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_now timestamptz := clock_timestamp();
BEGIN
    UPDATE jobs_store.job AS j
    SET state = p_state,
        failure = jobs._failure(p_failure_code),
        result = p_result,
        finished_at = v_now,
        cancel_requested_at = CASE WHEN p_state = 'cancelled' THEN coalesce(j.cancel_requested_at, v_now)
                                   ELSE j.cancel_requested_at END,
        lease = NULL,
        lease_until = NULL,
        lease_seconds = NULL,
        worker = NULL,
        page_locked_since = NULL,
        version = j.version + 1
    WHERE j.id = p_job;
    DELETE FROM jobs_store.worklist AS w WHERE w.job_id = p_job;
    PERFORM jobs._record_event(
        p_job, 'job.' || p_state, p_actor, p_worker, p_address,
        CASE WHEN p_failure_code IS NULL THEN '{}' ELSE jsonb_build_object('code', p_failure_code) END);
END;
$$;

COMMENT ON FUNCTION jobs._end_job(uuid, text, text, jsonb, uuid, text, inet) IS
    'Makes a job terminal and deletes its worklist.';
