-- Every workspace by title: {"workspaces": [{"id", "title", "members", "courses"}]}; members and courses
-- are numbers, disabled members count.
-- Answers: ok.
-- Raises: nothing.
-- Locks: none.
-- Callers: the operator.
CREATE OR REPLACE FUNCTION hub.list_all_workspaces()
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    outcome := 'ok';
    SELECT jsonb_build_object('workspaces', coalesce(
        jsonb_agg(
            jsonb_build_object(
                'id', w.id,
                'title', w.title,
                'members', (SELECT count(*) FROM hub_store.membership AS m WHERE m.workspace_id = w.id),
                'courses', (SELECT count(*) FROM hub_store.course AS c WHERE c.workspace_id = w.id))
            ORDER BY lower(w.title), w.id),
        '[]'))::text
    INTO body
    FROM hub_store.workspace AS w;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub.list_all_workspaces() IS 'Every workspace with its numbers of members and courses.';
GRANT EXECUTE ON FUNCTION hub.list_all_workspaces() TO hub_operator;
