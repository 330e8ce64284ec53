-- The jobs of a workspace, newest first, at most p_limit; NULL filters nothing. The cursor is the id of
-- the last job of the page before.
-- Answers: ok (body {"jobs", "next_cursor"}), invalid (the cursor).
-- Each set of filters has a query of its own, planned without knowing how few rows are wanted: one that
-- knows hopes to meet them soon among all the newest jobs, and reads on and on where they are old.
-- Raises: nothing.
-- Locks: none.
-- Callers: jobs.list_jobs, jobs.list_jobs_by_operator, jobs.list_backups.
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
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    v_time timestamptz := timestamptz 'infinity';
    v_id uuid := uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff';
    v_workspace uuid;
    v_ids uuid[];
BEGIN
    IF p_cursor IS NOT NULL THEN
        SELECT j.created_at, j.id, j.workspace_id INTO v_time, v_id, v_workspace
        FROM jobs_store.job AS j
        WHERE j.id = hub._uuid(p_cursor);
        IF NOT FOUND OR v_workspace IS DISTINCT FROM p_workspace THEN
            RETURN QUERY SELECT 'invalid', hub._invalid('/cursor', 'take the cursor from the last answer'), NULL;
            RETURN;
        END IF;
    END IF;
    IF p_state IN ('queued', 'running') THEN
        v_ids := ARRAY(
            SELECT j.id
            FROM jobs_store.job AS j
            WHERE j.workspace_id = p_workspace AND j.state = p_state AND j.state IN ('queued', 'running')
                AND (p_kind IS NULL OR j.kind = p_kind) AND (j.created_at, j.id) < (v_time, v_id)
            ORDER BY j.created_at DESC, j.id DESC
            LIMIT p_limit + 1);
    ELSIF p_state IS NOT NULL AND p_kind IS NOT NULL THEN
        v_ids := ARRAY(
            SELECT j.id
            FROM jobs_store.job AS j
            WHERE j.workspace_id = p_workspace AND j.kind = p_kind AND j.state = p_state
                AND j.state IN ('succeeded', 'failed', 'cancelled') AND (j.created_at, j.id) < (v_time, v_id)
            ORDER BY j.created_at DESC, j.id DESC
            LIMIT p_limit + 1);
    ELSIF p_state IS NOT NULL THEN
        v_ids := ARRAY(
            SELECT j.id
            FROM jobs_store.job AS j
            WHERE j.workspace_id = p_workspace AND j.state = p_state
                AND j.state IN ('succeeded', 'failed', 'cancelled') AND (j.created_at, j.id) < (v_time, v_id)
            ORDER BY j.created_at DESC, j.id DESC
            LIMIT p_limit + 1);
    ELSIF p_kind IS NOT NULL THEN
        v_ids := ARRAY(
            SELECT j.id
            FROM jobs_store.job AS j
            WHERE j.workspace_id = p_workspace AND j.kind = p_kind AND (j.created_at, j.id) < (v_time, v_id)
            ORDER BY j.created_at DESC, j.id DESC
            LIMIT p_limit + 1);
    ELSE
        v_ids := ARRAY(
            SELECT j.id
            FROM jobs_store.job AS j
            WHERE j.workspace_id = p_workspace AND (j.created_at, j.id) < (v_time, v_id)
            ORDER BY j.created_at DESC, j.id DESC
            LIMIT p_limit + 1);
    END IF;
    RETURN QUERY
    SELECT 'ok', NULL::jsonb, jsonb_build_object(
        'jobs', (SELECT coalesce(jsonb_agg(jobs._snapshot(t.id)::jsonb ORDER BY t.place), '[]')
                 FROM unnest(v_ids[:p_limit]) WITH ORDINALITY AS t (id, place)),
        'next_cursor', CASE WHEN cardinality(v_ids) > p_limit THEN v_ids[p_limit] END)::text;
END;
$$;

COMMENT ON FUNCTION jobs._list_jobs(uuid, text, text, text, integer) IS
    'The jobs of a workspace, newest first.';
