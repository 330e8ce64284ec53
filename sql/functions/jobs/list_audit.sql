-- The audit events of the workspace, newest first. The cursor is the number of the last one.
-- Answers: ok (body {"events", "next_cursor"}); unauthenticated, not_found, not_administrator, invalid.
-- Raises: nothing.
-- Locks: none.
-- Callers: the API.
CREATE OR REPLACE FUNCTION jobs.list_audit(
    p_session bytea,
    p_workspace uuid,
    p_cursor text,
    p_limit integer
)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_after bigint := CASE WHEN p_cursor ~ '^[0-9]{1,18}$' THEN p_cursor::bigint END;
    v_ids bigint[];
BEGIN
    SELECT a.outcome INTO outcome FROM hub._access(p_session, p_workspace, 'administer') AS a;
    IF outcome = 'ok' AND p_cursor IS NOT NULL AND v_after IS NULL THEN
        outcome := 'invalid';
        detail := hub._invalid('/cursor', 'take the cursor from the last answer');
    END IF;
    IF outcome = 'ok' THEN
        SELECT coalesce(array_agg(t.id ORDER BY t.id DESC), '{}') INTO v_ids
        FROM (
            SELECT a.id
            FROM jobs_store.audit_event AS a
            WHERE a.workspace_id = p_workspace AND a.id < coalesce(v_after, 9223372036854775807)
            ORDER BY a.id DESC
            LIMIT p_limit + 1
        ) AS t;
        body := jobs._audit_page(v_ids, p_limit);
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.list_audit(bytea, uuid, text, integer) IS
    'The audit events of a workspace, newest first.';
GRANT EXECUTE ON FUNCTION jobs.list_audit(bytea, uuid, text, integer) TO hub_api;
