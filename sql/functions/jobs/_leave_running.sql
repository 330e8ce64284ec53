-- Takes a running job out of `running`, under its row lock, and decides where to: a cancel request
-- wins, then lost rights of the actor, then what the caller reports (succeeded, failed with a code, or
-- queued: the claim is given back and no attempt is charged). The answer is the state it is in now. The
-- event names the worker that held the job, or p_sweeper, the one that found its lease to be over.
-- Raises: nothing of its own.
-- Locks: job (held by the caller), audit.
-- Callers: jobs.advance, jobs.finish, jobs.release, jobs.sweep.
CREATE OR REPLACE FUNCTION jobs._leave_running(
    p_job uuid,
    p_state text,
    p_failure_code text DEFAULT NULL,
    p_result jsonb DEFAULT NULL,
    p_sweeper text DEFAULT NULL
)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_worker text;
    v_cancelled boolean;
    v_authorised boolean;
BEGIN
    SELECT coalesce(p_sweeper, j.worker), j.cancel_requested_at IS NOT NULL,
           hub._is_administrator(j.actor_id, j.workspace_id)
    INTO v_worker, v_cancelled, v_authorised
    FROM jobs_store.job AS j
    WHERE j.id = p_job;
    IF v_cancelled THEN
        PERFORM jobs._end_job(p_job, 'cancelled', p_worker => v_worker);
        RETURN 'cancelled';
    ELSIF NOT v_authorised THEN
        PERFORM jobs._end_job(p_job, 'failed', 'actor_not_authorised', p_worker => v_worker);
        RETURN 'failed';
    ELSIF p_state <> 'queued' THEN
        PERFORM jobs._end_job(p_job, p_state, p_failure_code, p_result, p_worker => v_worker);
        RETURN p_state;
    END IF;
    UPDATE jobs_store.job AS j
    SET state = 'queued',
        attempt = j.attempt - 1,
        lease = NULL,
        lease_until = NULL,
        lease_seconds = NULL,
        worker = NULL,
        page_locked_since = NULL,
        version = j.version + 1
    WHERE j.id = p_job;
    PERFORM jobs._record_event(p_job, 'job.released', p_worker => v_worker);
    RETURN 'queued';
END;
$$;

COMMENT ON FUNCTION jobs._leave_running(uuid, text, text, jsonb, text) IS
    'Decides under the row lock how a running job leaves that state.';
