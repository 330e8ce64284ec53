-- Adds an enabled user.
-- Answers: ok (detail {"id"}), exists (the address is taken, by a disabled user too), invalid.
-- Raises: KH500 outside READ COMMITTED.
-- Locks: audit.
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
    v_name text := btrim(normalize(p_name, NFC));
    v_blanks CONSTANT text := '[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]';
    v_errors jsonb;
BEGIN
    PERFORM hub._require_read_committed();
    IF char_length(v_email) BETWEEN 3 AND 254
        AND NOT hub._has_invisible(v_email)
        AND v_email ~ '^[^@]+@[^@]+$'
        AND v_email !~ (' |' || v_blanks)
    THEN
        v_errors := '[]';
    ELSE
        v_errors := jsonb_build_array(
            hub._error('/email', 'give an e-mail address like name@example.org, of at most 254 characters'));
    END IF;
    IF v_name IS NULL OR char_length(v_name) NOT BETWEEN 1 AND 200 THEN
        v_errors := v_errors || hub._error('/name', 'a name has 1 to 200 characters');
    ELSIF hub._has_invisible(v_name) OR v_name ~ v_blanks THEN
        v_errors := v_errors || hub._error(
            '/name', 'a name has no invisible characters, and no blanks but the plain one');
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
        IF outcome = 'ok' THEN
            PERFORM hub._record_user_decision('user.added', (detail ->> 'id')::uuid);
        END IF;
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub.add_user(text, text, text) IS 'Adds a user.';
GRANT EXECUTE ON FUNCTION hub.add_user(text, text, text) TO hub_operator;
