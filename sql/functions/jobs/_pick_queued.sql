-- The queued job whose turn it is, locked; NULL when there is none: the oldest one of the workspaces with
-- the fewest running jobs. Where nothing runs that is the oldest of all.
-- Raises: nothing.
-- Locks: job (never waits).
-- Callers: jobs.claim.
CREATE OR REPLACE FUNCTION jobs._pick_queued(p_kinds text[])
RETURNS uuid
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_busy uuid[] := ARRAY(SELECT DISTINCT r.workspace_id FROM jobs_store.job AS r WHERE r.state = 'running');
    v_job uuid;
BEGIN
    IF v_busy = '{}' THEN
        SELECT j.id INTO v_job
        FROM jobs_store.job AS j
        WHERE j.state = 'queued' AND j.kind = ANY (p_kinds)
        ORDER BY j.created_at, j.id
        LIMIT 1
        FOR NO KEY UPDATE OF j SKIP LOCKED;
        RETURN v_job;
    END IF;
    -- Spares the planning where nothing is queued. In order, so that no plan looks elsewhere than at the
    -- head of the queue.
    PERFORM FROM jobs_store.job AS j WHERE j.state = 'queued' ORDER BY j.created_at, j.id LIMIT 1;
    RETURN CASE WHEN FOUND THEN jobs._pick_fairly(p_kinds, v_busy) END;
END;
$$;

COMMENT ON FUNCTION jobs._pick_queued(text[]) IS 'The queued job whose turn it is, locked.';
