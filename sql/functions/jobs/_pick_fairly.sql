-- As jobs._pick_queued, where jobs of the workspaces p_busy are running.
-- Nearly always some workspace has nothing running. Its oldest job is found from the head of the queue
-- without looking at the rest; only when there is none are all queued jobs weighed, and those are then
-- few, for every one belongs to a workspace that a worker is busy with.
-- Planned anew at each call: a plan for any list of busy workspaces searches that list anew for each job.
-- Raises: nothing.
-- Locks: job (never waits).
-- Callers: jobs._pick_queued.
CREATE OR REPLACE FUNCTION jobs._pick_fairly(p_kinds text[], p_busy uuid[])
RETURNS uuid
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
    v_job uuid;
BEGIN
    SELECT j.id INTO v_job
    FROM jobs_store.job AS j
    WHERE j.state = 'queued' AND j.kind = ANY (p_kinds)
        AND j.workspace_id <> ALL (p_busy)
    ORDER BY j.created_at, j.id
    LIMIT 1
    FOR NO KEY UPDATE OF j SKIP LOCKED;
    IF v_job IS NULL THEN
        SELECT j.id INTO v_job
        FROM jobs_store.job AS j
        LEFT JOIN (
            SELECT r.workspace_id, count(*) AS jobs
            FROM jobs_store.job AS r
            WHERE r.state = 'running'
            GROUP BY r.workspace_id
        ) AS running ON running.workspace_id = j.workspace_id
        WHERE j.state = 'queued' AND j.kind = ANY (p_kinds)
        ORDER BY coalesce(running.jobs, 0), j.created_at, j.id
        LIMIT 1
        FOR NO KEY UPDATE OF j SKIP LOCKED;
    END IF;
    RETURN v_job;
END;
$$;

COMMENT ON FUNCTION jobs._pick_fairly(text[], uuid[]) IS
    'The queued job whose turn it is beside the running ones, locked.';
