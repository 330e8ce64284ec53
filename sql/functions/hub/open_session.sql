-- Opens a session for a user whose password was verified against p_verified_hash. Under the user's lock
-- it looks once more that the user is enabled and the hash is still that one: a password change or a
-- disabling that came between wins. p_new_hash, where given, replaces the hash (of the same password).
-- With p_address, the effective one, what hub.charge_sign_in counted is taken back.
-- Answers: ok (body as describe_session), credentials. The hash is also another one when a second sign-in
--   has just replaced it: verify once more against find_credentials before saying no.
-- Raises: KH500 outside READ COMMITTED; 23505 and 23514 for a token that is no fresh SHA-256; 22P02 for
--   what is no address.
-- Locks: user, then the attempts (as hub.charge_sign_in).
-- Callers: the API.
DROP FUNCTION IF EXISTS hub.open_session(uuid, text, bytea, text);
CREATE OR REPLACE FUNCTION hub.open_session(
    p_user uuid,
    p_verified_hash text,
    p_session bytea,
    p_new_hash text DEFAULT NULL,
    p_address text DEFAULT NULL
)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_email text;
BEGIN
    PERFORM hub._require_read_committed();
    PERFORM FROM hub_store.app_user AS u WHERE u.id = p_user FOR NO KEY UPDATE;
    SELECT u.email INTO v_email
    FROM hub_store.app_user AS u
    WHERE u.id = p_user AND u.enabled AND u.password_hash = p_verified_hash;
    IF NOT FOUND THEN
        outcome := 'credentials';
        RETURN NEXT;
        RETURN;
    END IF;
    UPDATE hub_store.app_user AS u
    SET password_hash = p_new_hash
    WHERE u.id = p_user AND p_new_hash IS NOT NULL;
    INSERT INTO hub_store.session (token_hash, user_id, address)
    VALUES (p_session, p_user, CASE WHEN p_address <> 'unknown' THEN p_address::inet END);
    IF p_address IS NOT NULL THEN
        PERFORM hub._forgive_sign_in(v_email, p_address);
    END IF;
    RETURN QUERY SELECT d.outcome, d.detail, d.body FROM hub.describe_session(p_session) AS d;
END;
$$;

COMMENT ON FUNCTION hub.open_session(uuid, text, bytea, text, text) IS
    'Opens a session for a user whose password was verified.';
GRANT EXECUTE ON FUNCTION hub.open_session(uuid, text, bytea, text, text) TO hub_api;
