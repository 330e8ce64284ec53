-- Ends one session of a user, by the id that hub.list_sessions shows, or, where p_session is NULL, all of them.
-- Answers: ok (detail {"id", "ended"}: the user's, and how many), not_found (detail {"missing": "user" or
--   "session"}).
-- Raises: KH500 outside READ COMMITTED; 55P03 when a lock is not had in time.
-- Locks: user, session, audit.
-- Callers: the operator.
CREATE OR REPLACE FUNCTION hub.end_sessions(p_email text, p_session uuid)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_user uuid;
    v_ended integer;
BEGIN
    PERFORM hub._require_read_committed();
    v_user := hub._lock_user(p_email);
    v_ended := hub._end_sessions(v_user, p_session);
    IF v_user IS NULL THEN
        outcome := 'not_found';
        detail := jsonb_build_object('missing', 'user');
    ELSIF p_session IS NOT NULL AND v_ended = 0 THEN
        outcome := 'not_found';
        detail := jsonb_build_object('missing', 'session');
    ELSE
        IF v_ended > 0 THEN
            PERFORM hub._record_user_decision('user.sessions_ended', v_user, jsonb_build_object('ended', v_ended));
        END IF;
        outcome := 'ok';
        detail := jsonb_build_object('id', v_user, 'ended', v_ended);
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub.end_sessions(text, uuid) IS 'Ends one session of a user, or all.';
GRANT EXECUTE ON FUNCTION hub.end_sessions(text, uuid) TO hub_operator;
