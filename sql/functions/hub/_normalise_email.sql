-- An e-mail address as it is kept and compared: trimmed and lower-cased.
-- Raises: nothing.
-- Locks: none.
-- Callers: functions that find or add a user by the address.
-- Plain SQL, inlined into its callers' queries, so it pins no search_path; every name in it is full.
CREATE OR REPLACE FUNCTION hub._normalise_email(p_email text)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
    SELECT pg_catalog.lower(pg_catalog.btrim(p_email, E' \t\r\n'));
$$;

COMMENT ON FUNCTION hub._normalise_email(text) IS 'An e-mail address as it is kept and compared.';
