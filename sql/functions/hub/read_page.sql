-- A page with its content: {"id", "course_id", "title", "tags", "etag", "updated_at", "content"}.
-- Answers: ok (detail {"etag"}), unauthenticated, not_found (the workspace, or the page in it), not_member.
-- Raises: nothing.
-- Locks: none.
-- Callers: the API, hub.edit_page.
CREATE OR REPLACE FUNCTION hub.read_page(p_session bytea, p_workspace uuid, p_page uuid)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    SELECT a.outcome INTO outcome FROM hub._access(p_session, p_workspace, 'read') AS a;
    IF outcome = 'ok' THEN
        SELECT jsonb_build_object('etag', p.etag),
               (hub._describe_page(p.id, p.course_id, p.title, p.tags, p.etag, hub._utc(p.updated_at))
                   || jsonb_build_object('content', p.content))::text
        INTO detail, body
        FROM hub_store.page AS p
        JOIN hub_store.course AS c ON c.id = p.course_id
        WHERE p.id = p_page AND c.workspace_id = p_workspace;
        IF NOT FOUND THEN
            outcome := 'not_found';
        END IF;
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub.read_page(bytea, uuid, uuid) IS 'A page with its content.';
GRANT EXECUTE ON FUNCTION hub.read_page(bytea, uuid, uuid) TO hub_api;
