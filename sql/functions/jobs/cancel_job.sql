-- An enabled administrator asks for the cancellation of a job of the workspace; asking again changes
-- nothing.
-- Answers: ok (cancelled, or asked before), asked (running, now asked), terminal (succeeded or failed
--   before), each with the snapshot and detail {"version", "terminal"}; unauthenticated, not_found,
--   not_administrator (recorded).
-- Raises: KH500 outside READ COMMITTED.
-- Locks: membership, job, audit.
-- Callers: the API.
CREATE OR REPLACE FUNCTION jobs.cancel_job(
    p_session bytea,
    p_workspace uuid,
    p_job uuid,
    p_address inet
)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_actor uuid;
BEGIN
    PERFORM hub._require_read_committed();
    SELECT a.outcome, a.user_id INTO outcome, v_actor
    FROM hub._lock_access(p_session, p_workspace, 'administer') AS a;
    IF outcome = 'not_administrator' THEN
        PERFORM jobs._record_refusal('job.cancel_refused', p_workspace, v_actor, p_job, p_address);
    ELSIF outcome = 'ok' AND jobs._workspace_of(p_job) IS DISTINCT FROM p_workspace THEN
        outcome := 'not_found';
    END IF;
    IF outcome = 'ok' THEN
        outcome := jobs._request_cancel(p_job, v_actor, p_address);
        SELECT r.detail, r.body INTO detail, body FROM jobs._read_job(p_job) AS r;
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.cancel_job(bytea, uuid, uuid, inet) IS
    'Asks for the cancellation of a job of a workspace.';
GRANT EXECUTE ON FUNCTION jobs.cancel_job(bytea, uuid, uuid, inet) TO hub_api;
