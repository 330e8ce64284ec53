-- A UUID from text that came from outside; NULL for any other text, where a cast would raise and put
-- the text into the error.
-- Raises: nothing.
-- Locks: none.
-- Callers: functions that read ids from bodies and cursors.
-- Plain SQL, inlined into its callers' expressions, so it pins no search_path; every name in it is full.
CREATE OR REPLACE FUNCTION hub._uuid(p_text text)
RETURNS uuid
LANGUAGE sql
IMMUTABLE
AS $$
    SELECT CASE
        WHEN p_text OPERATOR(pg_catalog.~) '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
        THEN p_text::pg_catalog.uuid
    END;
$$;

COMMENT ON FUNCTION hub._uuid(text) IS 'A UUID from outside, or NULL.';
