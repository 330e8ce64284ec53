-- Gives a user, disabled ones too, another password and ends all his sessions.
-- Answers: ok (detail {"id"}), not_found.
-- Raises: KH500 outside READ COMMITTED; 55P03 when a lock is not had in time.
-- Locks: user, session, audit.
-- Callers: the operator.
CREATE OR REPLACE FUNCTION hub.set_password(p_email text, p_password_hash text)
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
    ELSE
        UPDATE hub_store.app_user AS u SET password_hash = p_password_hash WHERE u.id = v_user;
        PERFORM hub._end_sessions(v_user);
        PERFORM hub._record_user_decision('user.password_changed', v_user);
        outcome := 'ok';
        detail := jsonb_build_object('id', v_user);
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub.set_password(text, text) IS 'Gives a user another password and ends his sessions.';
GRANT EXECUTE ON FUNCTION hub.set_password(text, text) TO hub_operator;
