-- The workspaces the caller belongs to: {"workspaces": [{"id", "title", "role", "enabled"}],
-- "next_cursor": null}.
-- Answers: ok, unauthenticated.
-- Raises: nothing.
-- Locks: none.
-- Callers: the API.
CREATE OR REPLACE FUNCTION hub.list_workspaces(p_session bytea)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_user uuid := hub._live_session(p_session);
BEGIN
    IF v_user IS NULL THEN
        outcome := 'unauthenticated';
    ELSE
        outcome := 'ok';
        body := jsonb_build_object('workspaces', hub._list_workspaces_of(v_user), 'next_cursor', NULL)::text;
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub.list_workspaces(bytea) IS 'The workspaces the caller belongs to.';
GRANT EXECUTE ON FUNCTION hub.list_workspaces(bytea) TO hub_api;
