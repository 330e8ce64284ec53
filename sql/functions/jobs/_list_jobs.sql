-- The jobs of a workspace, newest first, at most p_limit; NULL filters nothing. The cursor is the id of
-- the last job of the page before.
-- Answers: ok (body {"jobs", "next_cursor"}), invalid (the cursor).
-- Planned anew at each call, so that a filter that is NULL vanishes and the others find their index.
-- Raises: nothing.
-- Locks: none.
-- Callers: jobs.list_jobs, jobs.list_jobs_of.
CREATE OR REPLACE FUNCTION jobs._list_jobs(
    p_workspace uuid,
    p_state text,
    p_kind text,
    p_cursor text,
    p_limit integer
)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
    v_after record;
    v_ids uuid[];
BEGIN
    SELECT j.created_at, j.id INTO v_after
    FROM jobs_store.job AS j
    WHERE j.id = hub._uuid(p_cursor) AND j.workspace_id = p_workspace;
    IF p_cursor IS NOT NULL AND NOT FOUND THEN
        RETURN QUERY SELECT 'invalid', hub._invalid('/cursor', 'take the cursor from the last answer'), NULL;
        RETURN;
    END IF;
    SELECT coalesce(array_agg(t.id ORDER BY t.created_at DESC, t.id DESC), '{}') INTO v_ids
    FROM (
        SELECT j.id, j.created_at
        FROM jobs_store.job AS j
        WHERE j.workspace_id = p_workspace
            AND (p_state IS NULL OR j.state = p_state)
            AND (p_kind IS NULL OR j.kind = p_kind)
            AND (p_cursor IS NULL OR (j.created_at, j.id) < (v_after.created_at, v_after.id))
        ORDER BY j.created_at DESC, j.id DESC
        LIMIT p_limit + 1
    ) AS t;
    RETURN QUERY
    SELECT 'ok', NULL::jsonb, jsonb_build_object(
        'jobs', (SELECT coalesce(jsonb_agg(jobs._snapshot(t.id)::jsonb ORDER BY t.place), '[]')
                 FROM unnest(v_ids[:p_limit]) WITH ORDINALITY AS t (id, place)),
        'next_cursor', CASE WHEN cardinality(v_ids) > p_limit THEN v_ids[p_limit] END)::text;
END;
$$;

COMMENT ON FUNCTION jobs._list_jobs(uuid, text, text, text, integer) IS
    'The jobs of a workspace, newest first.';
