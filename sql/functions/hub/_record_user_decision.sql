-- Appends a decision of the operator about a user to the audit trail of the whole hub, with who it was then.
-- Raises: nothing.
-- Locks: audit (insert only).
-- Callers: hub.add_user, hub.set_user_enabled, hub.set_password, hub.end_sessions.
CREATE OR REPLACE FUNCTION hub._record_user_decision(p_event text, p_user uuid, p_detail jsonb DEFAULT '{}')
RETURNS void
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM jobs._record_decision(
        p_event, NULL,
        jsonb_build_object('user', jsonb_build_object('id', u.id, 'name', u.name, 'email', u.email)) || p_detail)
    FROM hub_store.app_user AS u
    WHERE u.id = p_user;
END;
$$;

COMMENT ON FUNCTION hub._record_user_decision(text, uuid, jsonb) IS
    'Appends a decision about a user to the audit trail.';
