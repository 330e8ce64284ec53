-- Asks for the cancellation of a job, once. A queued job, or a running one whose lease is over, is
-- cancelled here and now; a running one stops before its next page or checkpoint. p_actor is the user
-- who asks; NULL: the operator.
-- Answers: asked (running, now asked), ok (cancelled, or asked before), terminal (succeeded or failed).
-- Raises: nothing of its own.
-- Locks: job, audit.
-- Callers: jobs.cancel_job, jobs.cancel_job_by_operator.
CREATE OR REPLACE FUNCTION jobs._request_cancel(p_job uuid, p_actor uuid, p_address inet)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_state text;
    v_asked boolean;
    v_stopped boolean;
BEGIN
    PERFORM FROM jobs_store.job AS j WHERE j.id = p_job FOR NO KEY UPDATE;
    SELECT j.state, j.cancel_requested_at IS NOT NULL,
           j.state = 'queued' OR j.lease_until <= clock_timestamp()
    INTO v_state, v_asked, v_stopped
    FROM jobs_store.job AS j
    WHERE j.id = p_job;
    IF v_state IN ('succeeded', 'failed') THEN
        RETURN 'terminal';
    ELSIF v_state = 'cancelled' THEN
        RETURN 'ok';
    END IF;
    IF NOT v_asked THEN
        PERFORM jobs._record_event(p_job, 'job.cancel_requested', p_actor, NULL, p_address);
    END IF;
    IF v_stopped THEN
        PERFORM jobs._end_job(p_job, 'cancelled', p_actor => p_actor, p_address => p_address);
        RETURN 'ok';
    ELSIF v_asked THEN
        RETURN 'ok';
    END IF;
    UPDATE jobs_store.job AS j
    SET cancel_requested_at = clock_timestamp(), version = j.version + 1
    WHERE j.id = p_job;
    RETURN 'asked';
END;
$$;

COMMENT ON FUNCTION jobs._request_cancel(uuid, uuid, inet) IS 'Asks for the cancellation of a job.';
