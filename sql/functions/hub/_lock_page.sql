-- Locks a page for a session that wants to change it, and says whether it may: the right to edit first,
-- then whether the page is in the workspace. `etag` is the page's, as of the lock.
-- Answers: ok, unauthenticated, not_found, not_member, not_editor.
-- Raises: 55P03 when a lock is not had in time.
-- Locks: membership, page.
-- Callers: hub.delete_page, hub.edit_page, after hub._require_read_committed.
CREATE OR REPLACE FUNCTION hub._lock_page(
    p_session bytea,
    p_workspace uuid,
    p_page uuid,
    OUT outcome text,
    OUT etag text
)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    SELECT a.outcome INTO outcome FROM hub._lock_access(p_session, p_workspace, 'edit') AS a;
    IF outcome <> 'ok' THEN
        RETURN;
    END IF;
    PERFORM
    FROM hub_store.page AS p
    JOIN hub_store.course AS c ON c.id = p.course_id
    WHERE p.id = p_page AND c.workspace_id = p_workspace
    FOR NO KEY UPDATE OF p;
    IF FOUND THEN
        SELECT p.etag::text INTO etag FROM hub_store.page AS p WHERE p.id = p_page;
    ELSE
        outcome := 'not_found';
    END IF;
END;
$$;

COMMENT ON FUNCTION hub._lock_page(bytea, uuid, uuid) IS
    'Locks a page that a session wants to change, where it may.';
