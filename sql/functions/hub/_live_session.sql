-- Whose session it is: the user must be enabled and the session still good (hub._is_session_live). NULL
-- for every other token, unknown ones too.
-- VOLATILE: it must see what was committed before its own statement, not before the caller's.
-- Raises: nothing.
-- Locks: none.
-- Callers: hub._access and the functions that need a session but no workspace.
CREATE OR REPLACE FUNCTION hub._live_session(p_session bytea)
RETURNS uuid
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (
        SELECT u.id
        FROM hub_store.session AS s
        JOIN hub_store.app_user AS u ON u.id = s.user_id
        WHERE s.token_hash = p_session
            AND u.enabled
            AND hub._is_session_live(s.created_at, s.last_seen_at));
END;
$$;

COMMENT ON FUNCTION hub._live_session(bytea) IS 'The user of a live session, else NULL.';
