-- What a sign-in has to be verified against: one row for an enabled user, none for any other address.
-- Raises: nothing.
-- Locks: none.
-- Callers: the API.
CREATE OR REPLACE FUNCTION hub.find_credentials(p_email text)
RETURNS TABLE (user_id uuid, password_hash text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT u.id, u.password_hash
    FROM hub_store.app_user AS u
    WHERE u.email = hub._normalise_email(p_email) AND u.enabled;
END;
$$;

COMMENT ON FUNCTION hub.find_credentials(text) IS
    'The id and password hash of an enabled user, found by e-mail address.';
GRANT EXECUTE ON FUNCTION hub.find_credentials(text) TO hub_api;
