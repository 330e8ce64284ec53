-- Enables or disables a user; disabling ends all his sessions. It holds the lock of every membership of
-- the user, so it waits for whoever is using a right of his, and nobody uses one after it commits.
-- Answers: ok (detail {"id"}; also when he was so already), not_found.
-- Raises: KH500 outside READ COMMITTED; 55P03 when a lock is not had in time.
-- Locks: user, session, membership (in workspace order), audit.
-- Callers: the operator.
CREATE OR REPLACE FUNCTION hub.set_user_enabled(p_email text, p_enabled boolean)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_user uuid;
BEGIN
    PERFORM hub._require_read_committed();
    v_user := hub._lock_user(p_email);
    IF v_user IS NULL THEN
        outcome := 'not_found';
        RETURN NEXT;
        RETURN;
    END IF;
    IF NOT p_enabled THEN
        PERFORM hub._end_sessions(v_user);
    END IF;
    PERFORM FROM hub_store.membership AS m WHERE m.user_id = v_user ORDER BY m.workspace_id FOR NO KEY UPDATE;
    UPDATE hub_store.app_user AS u SET enabled = p_enabled WHERE u.id = v_user AND u.enabled <> p_enabled;
    IF FOUND THEN
        PERFORM hub._record_user_decision(CASE WHEN p_enabled THEN 'user.enabled' ELSE 'user.disabled' END, v_user);
    END IF;
    outcome := 'ok';
    detail := jsonb_build_object('id', v_user);
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub.set_user_enabled(text, boolean) IS 'Enables or disables a user.';
GRANT EXECUTE ON FUNCTION hub.set_user_enabled(text, boolean) TO hub_operator;
