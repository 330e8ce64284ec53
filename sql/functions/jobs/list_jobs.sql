-- The jobs of a workspace, newest first, for its enabled administrators; NULL filters nothing.
-- Answers: ok (body {"jobs", "next_cursor"}); unauthenticated, not_found, not_administrator, invalid.
-- Raises: nothing.
-- Locks: none.
-- Callers: the API.
CREATE OR REPLACE FUNCTION jobs.list_jobs(
    p_session bytea,
    p_workspace uuid,
    p_state text,
    p_kind text,
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
        SELECT l.outcome, l.detail, l.body INTO outcome, detail, body
        FROM jobs._list_jobs(p_workspace, p_state, p_kind, p_cursor, p_limit) AS l;
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.list_jobs(bytea, uuid, text, text, text, integer) IS
    'The jobs of a workspace, newest first, for its administrators.';
GRANT EXECUTE ON FUNCTION jobs.list_jobs(bytea, uuid, text, text, text, integer) TO hub_api;
