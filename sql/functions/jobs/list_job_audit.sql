-- The audit events of a job of the workspace, oldest first. The cursor is the number of the last one.
-- Answers: ok (body {"events", "next_cursor"}); unauthenticated, not_found, not_administrator, invalid.
-- Raises: nothing.
-- Locks: none.
-- Callers: the API.
CREATE OR REPLACE FUNCTION jobs.list_job_audit(
    p_session bytea,
    p_workspace uuid,
    p_job uuid,
    p_cursor text,
    p_limit integer
)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    SELECT r.outcome INTO outcome FROM jobs.read_job(p_session, p_workspace, p_job) AS r;
    IF outcome = 'ok' THEN
        SELECT t.outcome, t.detail, t.body INTO outcome, detail, body
        FROM jobs._audit_page(p_workspace, p_job, p_cursor, p_limit) AS t;
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.list_job_audit(bytea, uuid, uuid, text, integer) IS
    'The audit events of a job, oldest first.';
GRANT EXECUTE ON FUNCTION jobs.list_job_audit(bytea, uuid, uuid, text, integer) TO hub_api;
