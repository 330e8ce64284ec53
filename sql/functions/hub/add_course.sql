-- Adds an empty course after the last one of a workspace. The position is taken by its unique constraint
-- and not under the workspace's lock: an import holds what it locks until its last page is in, and jobs
-- are admitted meanwhile. A second import into the same workspace waits for the first.
-- Answers: ok (detail {"id"}), not_found, invalid.
-- Raises: KH500 outside READ COMMITTED; 55P03 when the place is not had in time.
-- Locks: none.
-- Callers: the operator.
CREATE OR REPLACE FUNCTION hub.add_course(p_workspace uuid, p_title text)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM hub._require_read_committed();
    IF p_title IS NULL OR char_length(p_title) > 10000 THEN
        outcome := 'invalid';
        detail := hub._invalid('/title', 'a title has at most 10,000 characters');
    ELSIF NOT EXISTS (SELECT FROM hub_store.workspace AS w WHERE w.id = p_workspace) THEN
        outcome := 'not_found';
    END IF;
    WHILE outcome IS NULL LOOP
        INSERT INTO hub_store.course (workspace_id, position, title)
        SELECT p_workspace, coalesce(max(c.position), 0) + 1, p_title
        FROM hub_store.course AS c
        WHERE c.workspace_id = p_workspace
        ON CONFLICT ON CONSTRAINT course_position_is_unique DO NOTHING
        RETURNING 'ok', jsonb_build_object('id', id) INTO outcome, detail;
    END LOOP;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub.add_course(uuid, text) IS 'Adds an empty course to a workspace.';
GRANT EXECUTE ON FUNCTION hub.add_course(uuid, text) TO hub_operator;
