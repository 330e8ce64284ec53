-- One entry of the list `errors` of an `invalid` answer.
-- Raises: nothing.
-- Locks: none.
-- Callers: functions that judge input.
-- Plain SQL, inlined into its callers' queries, so it pins no search_path; every name in it is full.
CREATE OR REPLACE FUNCTION hub._error(p_pointer text, p_message text)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
    SELECT pg_catalog.jsonb_build_object('pointer', p_pointer, 'message', p_message);
$$;

COMMENT ON FUNCTION hub._error(text, text) IS
    '{"pointer", "message"}: what is wrong with one part of the input.';
