-- The sign-ins that were refused in the last 30 days, as far as they are kept, newest first. The cursor is the
-- number of the last one.
-- Answers: ok (body {"refusals": [{"at", "event", "user": {"id", "name", "email"} or null, "address"}],
--   "next_cursor"}), invalid (the cursor).
-- Raises: nothing.
-- Locks: none.
-- Callers: the operator.
CREATE OR REPLACE FUNCTION hub.list_sign_in_refusals(p_cursor text, p_limit integer)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_before bigint := CASE WHEN p_cursor ~ '^[0-9]{1,18}$' THEN p_cursor::bigint END;
    v_ids bigint[];
BEGIN
    IF p_cursor IS NOT NULL AND v_before IS NULL THEN
        RETURN QUERY SELECT 'invalid', hub._invalid('/cursor', 'take the cursor from the last answer'), NULL;
        RETURN;
    END IF;
    v_ids := ARRAY(
        SELECT r.id
        FROM hub_store.sign_in_refusal AS r
        WHERE r.id < coalesce(v_before, 9223372036854775807)
        ORDER BY r.id DESC
        LIMIT p_limit + 1);
    RETURN QUERY
    SELECT 'ok', NULL::jsonb, jsonb_build_object(
        'refusals', coalesce(
            jsonb_agg(jsonb_build_object(
                'at', hub._utc(r.at),
                'event', r.event,
                'user', CASE WHEN u.id IS NOT NULL
                             THEN jsonb_build_object('id', u.id, 'name', u.name, 'email', u.email) END,
                'address', r.address) ORDER BY r.id DESC),
            '[]'),
        'next_cursor', CASE WHEN cardinality(v_ids) > p_limit THEN v_ids[p_limit]::text END)::text
    FROM hub_store.sign_in_refusal AS r
    LEFT JOIN hub_store.app_user AS u ON u.id = r.user_id
    WHERE r.id = ANY (v_ids[:p_limit]);
END;
$$;

COMMENT ON FUNCTION hub.list_sign_in_refusals(text, integer) IS 'The sign-ins that were refused.';
GRANT EXECUTE ON FUNCTION hub.list_sign_in_refusals(text, integer) TO hub_operator;
