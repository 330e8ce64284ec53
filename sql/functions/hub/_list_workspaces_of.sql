-- The workspaces a user belongs to, disabled memberships too, by title: [{"id", "title", "role",
-- "enabled"}].
-- Raises: nothing.
-- Locks: none.
-- Callers: hub.describe_session, hub.list_workspaces.
CREATE OR REPLACE FUNCTION hub._list_workspaces_of(p_user uuid)
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (
        SELECT coalesce(
            jsonb_agg(
                jsonb_build_object('id', w.id, 'title', w.title, 'role', m.role, 'enabled', m.enabled)
                ORDER BY lower(w.title), w.id),
            '[]')
        FROM hub_store.membership AS m
        JOIN hub_store.workspace AS w ON w.id = m.workspace_id
        WHERE m.user_id = p_user);
END;
$$;

COMMENT ON FUNCTION hub._list_workspaces_of(uuid) IS
    'The workspaces a user belongs to, as they stand in answers.';
