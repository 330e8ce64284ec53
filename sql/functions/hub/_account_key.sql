-- What the attempts on an account are counted under: a hash, because the address that was typed may be
-- nobody's, of any length, or a password in the wrong field.
-- Raises: nothing.
-- Locks: none.
-- Callers: hub.charge_sign_in, hub._forgive_sign_in.
CREATE OR REPLACE FUNCTION hub._account_key(p_email text)
RETURNS bytea
LANGUAGE plpgsql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN sha256(convert_to(hub._normalise_email(p_email), 'UTF8'));
END;
$$;

COMMENT ON FUNCTION hub._account_key(text) IS 'What the attempts on an account are counted under.';
