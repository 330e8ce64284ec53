-- The snapshot of a job of the workspace, for its enabled administrators.
-- Answers: ok (detail {"version", "terminal"}); unauthenticated, not_found, not_administrator.
-- Raises: nothing.
-- Locks: none.
-- Callers: the API, jobs.list_job_audit, jobs.list_page_errors.
CREATE OR REPLACE FUNCTION jobs.read_job(p_session bytea, p_workspace uuid, p_job uuid)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    SELECT a.outcome INTO outcome FROM hub._access(p_session, p_workspace, 'administer') AS a;
    IF outcome = 'ok' AND jobs._workspace_of(p_job) IS DISTINCT FROM p_workspace THEN
        outcome := 'not_found';
    END IF;
    IF outcome = 'ok' THEN
        SELECT r.detail, r.body INTO detail, body FROM jobs._read_job(p_job) AS r;
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.read_job(bytea, uuid, uuid) IS 'The snapshot of a job of a workspace.';
GRANT EXECUTE ON FUNCTION jobs.read_job(bytea, uuid, uuid) TO hub_api;
