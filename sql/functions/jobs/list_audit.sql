-- The audit events of the workspace, newest first. The cursor is the number of the last one.
-- Answers: ok (body {"events", "next_cursor"}); unauthenticated, not_found, not_administrator, invalid.
-- Raises: nothing.
-- Locks: none.
-- Callers: the API.
CREATE OR REPLACE FUNCTION jobs.list_audit(
    p_session bytea,
    p_workspace uuid,
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
    SELECT a.outcome INTO outcome FROM hub._access(p_session, p_workspace, 'administer') AS a;
    IF outcome = 'ok' THEN
        SELECT t.outcome, t.detail, t.body INTO outcome, detail, body
        FROM jobs._audit_page(p_workspace, NULL, p_cursor, p_limit) AS t;
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.list_audit(bytea, uuid, text, integer) IS
    'The audit events of a workspace, newest first.';
GRANT EXECUTE ON FUNCTION jobs.list_audit(bytea, uuid, text, integer) TO hub_api;
