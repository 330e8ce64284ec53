-- The detail of outcome `invalid` with one error.
-- Raises: nothing.
-- Locks: none.
-- Callers: functions that judge input.
-- Plain SQL, inlined into its callers' expressions, so it pins no search_path; every name in it is full.
CREATE OR REPLACE FUNCTION hub._invalid(p_pointer text, p_message text)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
    SELECT pg_catalog.jsonb_build_object(
        'errors', pg_catalog.jsonb_build_array(hub._error(p_pointer, p_message)))
$$;

COMMENT ON FUNCTION hub._invalid(text, text) IS 'The detail of outcome invalid with one error.';
