-- The audit events of a job of the workspace, oldest first. The cursor is the number of the last one.
-- Answers: ok (body {"events", "next_cursor"}); unauthenticated, not_found, not_administrator, invalid.
-- Raises: nothing.
-- Locks: none.
-- Callers: the API.
CREATE OR REPLACE FUNCTION jobs.list_job_audit(
    p_session bytea,
    p_workspace uuid,
    p_job uuid,
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
    SELECT r.outcome INTO outcome FROM jobs.read_job(p_session, p_workspace, p_job) AS r;
    IF outcome = 'ok' AND p_cursor IS NOT NULL AND v_after IS NULL THEN
        outcome := 'invalid';
        detail := hub._invalid('/cursor', 'take the cursor from the last answer');
    END IF;
    IF outcome = 'ok' THEN
        SELECT coalesce(array_agg(t.id ORDER BY t.id), '{}') INTO v_ids
        FROM (
            SELECT a.id
            FROM jobs_store.audit_event AS a
            WHERE a.job_id = p_job AND a.id > coalesce(v_after, 0)
            ORDER BY a.id
            LIMIT p_limit + 1
        ) AS t;
        body := jobs._audit_page(v_ids, p_limit);
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.list_job_audit(bytea, uuid, uuid, text, integer) IS
    'The audit events of a job, oldest first.';
GRANT EXECUTE ON FUNCTION jobs.list_job_audit(bytea, uuid, uuid, text, integer) TO hub_api;
