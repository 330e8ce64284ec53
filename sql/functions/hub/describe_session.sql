-- Who is signed in and where he belongs: {"user": {"id", "name", "email"}, "workspaces": [{"id", "title",
-- "role", "enabled"}]}.
-- Answers: ok, unauthenticated.
-- Raises: nothing.
-- Locks: none.
-- Callers: the API, hub.open_session.
CREATE OR REPLACE FUNCTION hub.describe_session(p_session bytea)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_user uuid := hub._live_session(p_session);
BEGIN
    SELECT jsonb_build_object(
        'user', jsonb_build_object('id', u.id, 'name', u.name, 'email', u.email),
        'workspaces', hub._list_workspaces_of(u.id))::text
    INTO body
    FROM hub_store.app_user AS u
    WHERE u.id = v_user;
    outcome := CASE WHEN body IS NULL THEN 'unauthenticated' ELSE 'ok' END;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub.describe_session(bytea) IS 'Who is signed in and the workspaces he belongs to.';
GRANT EXECUTE ON FUNCTION hub.describe_session(bytea) TO hub_api;
