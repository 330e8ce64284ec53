-- The courses of a workspace in their order: {"courses": [{"id", "title", "page_count"}], "next_cursor":
-- null}.
-- Answers: ok, unauthenticated, not_found, not_member.
-- Raises: nothing.
-- Locks: none.
-- Callers: the API.
CREATE OR REPLACE FUNCTION hub.list_courses(p_session bytea, p_workspace uuid)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    SELECT a.outcome INTO outcome FROM hub._access(p_session, p_workspace, 'read') AS a;
    IF outcome = 'ok' THEN
        SELECT jsonb_build_object(
            'courses', coalesce(
                jsonb_agg(
                    jsonb_build_object('id', c.id, 'title', c.title, 'page_count', p.page_count)
                    ORDER BY c.position),
                '[]'),
            'next_cursor', NULL)::text
        INTO body
        FROM hub_store.course AS c
        CROSS JOIN LATERAL (
            SELECT count(*) AS page_count FROM hub_store.page AS p WHERE p.course_id = c.id) AS p
        WHERE c.workspace_id = p_workspace;
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub.list_courses(bytea, uuid) IS 'The courses of a workspace.';
GRANT EXECUTE ON FUNCTION hub.list_courses(bytea, uuid) TO hub_api;
