-- Adds an enabled user.
-- Answers: ok (detail {"id"}), exists (the address is taken, by a disabled user too), invalid.
-- Raises: KH500 outside READ COMMITTED.
-- Locks: none.
-- Callers: the operator.
CREATE OR REPLACE FUNCTION hub.add_user(p_email text, p_name text, p_password_hash text)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_email text := hub._normalise_email(p_email);
    v_name text := btrim(p_name);
    v_errors jsonb;
BEGIN
    PERFORM hub._require_read_committed();
    IF char_length(v_email) BETWEEN 3 AND 254
        AND v_email ~ '^[^@\u0001-\u0020\u007F-\u00A0]+@[^@\u0001-\u0020\u007F-\u00A0]+$'
    THEN
        v_errors := '[]';
    ELSE
        v_errors := jsonb_build_array(
            hub._error('/email', 'give an e-mail address like name@example.org, of at most 254 characters'));
    END IF;
    IF v_name IS NULL OR char_length(v_name) NOT BETWEEN 1 AND 200 THEN
        v_errors := v_errors || hub._error('/name', 'a name has 1 to 200 characters');
    END IF;
    IF v_errors <> '[]' THEN
        outcome := 'invalid';
        detail := jsonb_build_object('errors', v_errors);
    ELSE
        INSERT INTO hub_store.app_user (email, name, password_hash)
        VALUES (v_email, v_name, p_password_hash)
        ON CONFLICT ON CONSTRAINT app_user_email_is_unique DO NOTHING
        RETURNING 'ok', jsonb_build_object('id', id) INTO outcome, detail;
        outcome := coalesce(outcome, 'exists');
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub.add_user(text, text, text) IS 'Adds a user.';
GRANT EXECUTE ON FUNCTION hub.add_user(text, text, text) TO hub_operator;
