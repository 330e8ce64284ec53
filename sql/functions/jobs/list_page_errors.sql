-- The kept page errors of a job of the workspace, by page id. The cursor is the page id of the last one.
-- Answers: ok (body {"errors", "next_cursor"}); unauthenticated, not_found, not_administrator, invalid.
-- Raises: nothing.
-- Locks: none.
-- Callers: the API.
CREATE OR REPLACE FUNCTION jobs.list_page_errors(
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
    v_after uuid := hub._uuid(p_cursor);
BEGIN
    SELECT r.outcome INTO outcome FROM jobs.read_job(p_session, p_workspace, p_job) AS r;
    IF outcome = 'ok' AND p_cursor IS NOT NULL AND v_after IS NULL THEN
        outcome := 'invalid';
        detail := hub._invalid('/cursor', 'take the cursor from the last answer');
    END IF;
    IF outcome = 'ok' THEN
        SELECT jsonb_build_object(
            'errors', coalesce(jsonb_agg(t.error ORDER BY t.page_id) FILTER (WHERE t.place <= p_limit), '[]'),
            'next_cursor', CASE WHEN count(*) > p_limit
                THEN (array_agg(t.page_id ORDER BY t.page_id))[p_limit] END)::text
        INTO body
        FROM (
            SELECT e.page_id, jobs._page_error(e.page_id, e.page_title, e.code) AS error,
                   row_number() OVER (ORDER BY e.page_id) AS place
            FROM jobs_store.page_error AS e
            WHERE e.job_id = p_job AND (v_after IS NULL OR e.page_id > v_after)
            ORDER BY e.page_id
            LIMIT p_limit + 1
        ) AS t;
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.list_page_errors(bytea, uuid, uuid, text, integer) IS
    'The page errors of a job, in page order.';
GRANT EXECUTE ON FUNCTION jobs.list_page_errors(bytea, uuid, uuid, text, integer) TO hub_api;
