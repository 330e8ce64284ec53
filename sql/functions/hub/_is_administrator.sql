-- Is this user, now, an enabled administrator of this workspace? A plain read without a lock: it is
-- asked before every page of a job, and a lock for each would keep a revocation waiting.
-- PL/pgSQL, for a function in SQL is planned anew at each call before PostgreSQL 18 (40 us, not 8).
-- VOLATILE: it must see what was committed before its own statement, not before the caller's.
-- Raises: nothing.
-- Locks: none.
-- Callers: functions of schema jobs that act for a job's actor.
CREATE OR REPLACE FUNCTION hub._is_administrator(p_user uuid, p_workspace uuid)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN EXISTS (
        SELECT
        FROM hub_store.membership AS m
        JOIN hub_store.app_user AS u ON u.id = m.user_id
        WHERE m.workspace_id = p_workspace
            AND m.user_id = p_user
            AND m.role = 'administrator'
            AND m.enabled
            AND u.enabled);
END;
$$;

COMMENT ON FUNCTION hub._is_administrator(uuid, uuid) IS
    'Whether user and membership are enabled and the role is administrator, as of now.';
