-- Ends every session of a user, or only the one with the id p_session; the answer is how many.
-- Raises: 55P03 when a lock is not had in time.
-- Locks: session (in token order).
-- Callers: hub.set_password, hub.set_user_enabled, hub.end_sessions, with the user locked.
DROP FUNCTION IF EXISTS hub._end_sessions(uuid);
CREATE OR REPLACE FUNCTION hub._end_sessions(p_user uuid, p_session uuid DEFAULT NULL)
RETURNS integer
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_ended integer;
BEGIN
    PERFORM
    FROM hub_store.session AS s
    WHERE s.user_id = p_user AND s.id = coalesce(p_session, s.id)
    ORDER BY s.token_hash
    FOR NO KEY UPDATE;
    DELETE FROM hub_store.session AS s WHERE s.user_id = p_user AND s.id = coalesce(p_session, s.id);
    GET DIAGNOSTICS v_ended = ROW_COUNT;
    RETURN v_ended;
END;
$$;

COMMENT ON FUNCTION hub._end_sessions(uuid, uuid) IS 'Ends every session of a user, or one.';
