-- Whether a workspace may have one more job of this actor now: NULL, or the detail of outcome
-- `capacity`: {"limit", "value", "retry_after"} with the first limit that is reached; retry_after in
-- seconds. Called under the workspace's lock, in a statement of its own, so the counts are fresh.
-- Raises: nothing.
-- Locks: none.
-- Callers: jobs.create_job.
CREATE OR REPLACE FUNCTION jobs._check_capacity(p_workspace uuid, p_actor uuid)
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_day_ago timestamptz := clock_timestamp() - interval '24 hours';
    v_most_pending integer := jobs._setting('MaxPendingPerWorkspace');
    v_most_of_actor integer := jobs._setting('MaxPendingPerActor');
    v_most_created integer := jobs._setting('MaxCreatedPerDay');
    v_pending bigint;
    v_of_actor bigint;
    v_created bigint;
    v_leaves_at timestamptz;
BEGIN
    SELECT count(*), count(*) FILTER (WHERE j.actor_id = p_actor) INTO v_pending, v_of_actor
    FROM jobs_store.job AS j
    WHERE j.workspace_id = p_workspace AND j.state IN ('queued', 'running');
    IF v_pending >= v_most_pending THEN
        RETURN jsonb_build_object(
            'limit', 'MaxPendingPerWorkspace', 'value', v_most_pending, 'retry_after', 10);
    ELSIF v_of_actor >= v_most_of_actor THEN
        RETURN jsonb_build_object('limit', 'MaxPendingPerActor', 'value', v_most_of_actor, 'retry_after', 10);
    END IF;
    SELECT count(*) INTO v_created
    FROM jobs_store.job AS j
    WHERE j.workspace_id = p_workspace AND j.created_at > v_day_ago;
    IF v_created < v_most_created THEN
        RETURN NULL;
    END IF;
    -- A place frees when so many have left the window that fewer than the limit remain.
    SELECT j.created_at INTO v_leaves_at
    FROM jobs_store.job AS j
    WHERE j.workspace_id = p_workspace AND j.created_at > v_day_ago
    ORDER BY j.created_at
    OFFSET v_created - v_most_created
    LIMIT 1;
    RETURN jsonb_build_object(
        'limit', 'MaxCreatedPerDay', 'value', v_most_created,
        'retry_after', greatest(1, coalesce(ceil(extract(epoch FROM v_leaves_at - v_day_ago)), 86400)));
END;
$$;

COMMENT ON FUNCTION jobs._check_capacity(uuid, uuid) IS 'The first limit that one more job would break, or NULL.';
