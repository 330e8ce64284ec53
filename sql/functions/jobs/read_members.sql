-- The members of a backup's workspace by e-mail address, from the one after p_after (NULL: the first) on, at
-- most 500. One who is disabled as a user, or here as a member, is not enabled.
-- Raises: KH423, KH408, KH500 (jobs._workspace_of_backup).
-- Locks: none.
-- Callers: the worker.
CREATE OR REPLACE FUNCTION jobs.read_members(p_job uuid, p_lease uuid, p_after text)
RETURNS TABLE (email text, name text, role text, enabled boolean)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_workspace uuid := jobs._workspace_of_backup(p_job, p_lease);
BEGIN
    RETURN QUERY
    SELECT u.email, u.name, m.role, m.enabled AND u.enabled
    FROM hub_store.membership AS m
    JOIN hub_store.app_user AS u ON u.id = m.user_id
    WHERE m.workspace_id = v_workspace AND u.email > coalesce(p_after, '')
    ORDER BY u.email
    LIMIT 500;
END;
$$;

COMMENT ON FUNCTION jobs.read_members(uuid, uuid, text) IS 'The next members that a backup reads.';
GRANT EXECUTE ON FUNCTION jobs.read_members(uuid, uuid, text) TO hub_worker;
