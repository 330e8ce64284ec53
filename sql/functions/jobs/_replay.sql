-- What an idempotency key already stands for, under the workspace's lock: no row for a new key;
-- replayed with the existing job for the same request, whatever became of it; idempotency_conflict for
-- any other. The stored request is normalised anew, so both sides are judged by the present rules.
-- Raises: nothing.
-- Locks: none.
-- Callers: jobs.create_job.
CREATE OR REPLACE FUNCTION jobs._replay(p_workspace uuid, p_actor uuid, p_key text, p_shape jsonb)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_job uuid;
    v_version bigint;
    v_snapshot text;
    v_before jsonb;
BEGIN
    SELECT j.id, j.version, jobs._snapshot(j.id), jobs._normalise(j.request || jsonb_build_object('kind', j.kind))
    INTO v_job, v_version, v_snapshot, v_before
    FROM jobs_store.job AS j
    WHERE j.workspace_id = p_workspace AND j.actor_id = p_actor AND j.idempotency_key = p_key;
    IF NOT FOUND THEN
        RETURN;
    ELSIF v_before -> 'kind' = p_shape -> 'kind' AND v_before -> 'identity' = p_shape -> 'identity' THEN
        RETURN QUERY SELECT 'replayed', jsonb_build_object('job_id', v_job, 'version', v_version), v_snapshot;
    ELSE
        RETURN QUERY SELECT 'idempotency_conflict', NULL::jsonb, NULL::text;
    END IF;
END;
$$;

COMMENT ON FUNCTION jobs._replay(uuid, uuid, text, jsonb) IS 'What an idempotency key already stands for.';
