-- The errors of a JSON object's members that are not known: a list of {"pointer", "message"}, empty
-- where all are, of many the first 100. Pointers are RFC 6901: `~` and `/` in a name are written `~0`
-- and `~1`.
-- Raises: nothing.
-- Locks: none.
-- Callers: functions that judge a request body.
CREATE OR REPLACE FUNCTION hub._unknown_members(p_body jsonb, p_known text[])
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce(
        jsonb_agg(jsonb_build_object(
            'pointer', '/' || replace(replace(m.name, '~', '~0'), '/', '~1'),
            'message', 'is not known here; leave it out') ORDER BY m.name),
        '[]')
    FROM (
        SELECT k.name
        FROM jsonb_object_keys(p_body) AS k (name)
        WHERE k.name <> ALL (p_known)
        ORDER BY k.name
        LIMIT 100) AS m;
$$;

COMMENT ON FUNCTION hub._unknown_members(jsonb, text[]) IS 'The errors of members that are not known.';
