-- The live sessions of a user, newest first: {"sessions": [{"id", "created_at", "last_seen_at", "address"}]}.
-- Answers: ok, not_found.
-- Raises: nothing.
-- Locks: none.
-- Callers: the operator.
CREATE OR REPLACE FUNCTION hub.list_sessions(p_email text)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    SELECT jsonb_build_object('sessions', (
        SELECT coalesce(
            jsonb_agg(jsonb_build_object(
                'id', s.id, 'created_at', hub._utc(s.created_at), 'last_seen_at', hub._utc(s.last_seen_at),
                'address', host(s.address)) ORDER BY s.created_at DESC, s.id),
            '[]')
        FROM hub_store.session AS s
        WHERE s.user_id = u.id AND hub._is_session_live(s.created_at, s.last_seen_at)))::text
    INTO body
    FROM hub_store.app_user AS u
    WHERE u.email = hub._normalise_email(p_email);
    outcome := CASE WHEN body IS NULL THEN 'not_found' ELSE 'ok' END;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub.list_sessions(text) IS 'The live sessions of a user.';
GRANT EXECUTE ON FUNCTION hub.list_sessions(text) TO hub_operator;
