-- Remembers that a sign-in failed: the user is unknown or disabled, or the password was wrong.
-- Answers: credentials.
-- Raises: KH500 outside READ COMMITTED; 22P02 for what is no address.
-- Locks: none.
-- Callers: the API.
CREATE OR REPLACE FUNCTION hub.refuse_sign_in(p_email text, p_address text)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM hub._require_read_committed();
    PERFORM hub._record_sign_in_refusal('sign_in.failed', p_email, jobs._address_bucket(p_address));
    outcome := 'credentials';
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub.refuse_sign_in(text, text) IS 'Remembers that a sign-in failed.';
GRANT EXECUTE ON FUNCTION hub.refuse_sign_in(text, text) TO hub_api;
