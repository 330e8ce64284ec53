-- Ends every session of a user.
-- Raises: 55P03 when a lock is not had in time.
-- Locks: session (in token order).
-- Callers: set_password, set_user_enabled, with the user locked.
CREATE OR REPLACE FUNCTION hub._end_sessions(p_user uuid)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM FROM hub_store.session AS s WHERE s.user_id = p_user ORDER BY s.token_hash FOR NO KEY UPDATE;
    DELETE FROM hub_store.session AS s WHERE s.user_id = p_user;
END;
$$;

COMMENT ON FUNCTION hub._end_sessions(uuid) IS 'Ends every session of a user.';
