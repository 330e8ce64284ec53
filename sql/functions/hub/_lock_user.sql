-- The user with this e-mail address, locked until the transaction ends; NULL where there is none.
-- Raises: 55P03 when the lock is not had in time.
-- Locks: user.
-- Callers: hub.set_password, hub.set_user_enabled, hub.set_membership, hub.end_sessions.
CREATE OR REPLACE FUNCTION hub._lock_user(p_email text)
RETURNS uuid
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_user uuid;
BEGIN
    SELECT u.id INTO v_user
    FROM hub_store.app_user AS u
    WHERE u.email = hub._normalise_email(p_email)
    FOR NO KEY UPDATE;
    RETURN v_user;
END;
$$;

COMMENT ON FUNCTION hub._lock_user(text) IS 'The user with this e-mail address, locked.';
