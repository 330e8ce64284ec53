-- The jobs of any workspace, newest first, for the operator.
-- Answers: ok (body {"jobs", "next_cursor"}), not_found, invalid (the cursor).
-- Raises: nothing.
-- Locks: none.
-- Callers: the operator.
CREATE OR REPLACE FUNCTION jobs.list_jobs_by_operator(p_workspace uuid, p_cursor text, p_limit integer)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    outcome := 'not_found';
    IF EXISTS (SELECT FROM hub_store.workspace AS w WHERE w.id = p_workspace) THEN
        SELECT l.outcome, l.detail, l.body INTO outcome, detail, body
        FROM jobs._list_jobs(p_workspace, NULL, NULL, p_cursor, p_limit) AS l;
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.list_jobs_by_operator(uuid, text, integer) IS
    'The jobs of any workspace, newest first, for the operator.';
GRANT EXECUTE ON FUNCTION jobs.list_jobs_by_operator(uuid, text, integer) TO hub_operator;
