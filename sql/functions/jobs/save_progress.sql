-- Saves the progress of a job that a handler runs, and renews its lease: an optimistic save, refused when
-- the job has another version than the handler knows (somebody asked to cancel it, say), so that nothing
-- is overwritten unseen; the handler looks at the snapshot and tries again with its version.
-- Answers: ok, version_mismatch; both with the current snapshot; stop_requested as of now.
-- Raises: KH423 when the lease is lost; KH500, also for a job of items.
-- Locks: job.
-- Callers: the worker.
CREATE OR REPLACE FUNCTION jobs.save_progress(
    p_job uuid,
    p_lease uuid,
    p_version bigint,
    p_total integer,
    p_processed integer
)
RETURNS TABLE (outcome text, version bigint, stop_requested boolean, snapshot text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM jobs._hold(p_job, p_lease);
    IF EXISTS (SELECT FROM jobs_store.job AS j WHERE j.id = p_job AND j.itemised) THEN
        RAISE EXCEPTION 'jobs of items are run by jobs.advance' USING ERRCODE = 'KH500';
    END IF;
    outcome := CASE WHEN EXISTS (
        SELECT FROM jobs_store.job AS j WHERE j.id = p_job AND j.version = p_version
    ) THEN 'ok' ELSE 'version_mismatch' END;
    IF outcome = 'ok' THEN
        PERFORM jobs._save_progress(p_job, p_total, p_processed, 0, 0, 0);
    END IF;
    SELECT j.version, j.cancel_requested_at IS NOT NULL OR NOT hub._is_administrator(j.actor_id, j.workspace_id),
           jobs._snapshot(p_job)
    INTO version, stop_requested, snapshot
    FROM jobs_store.job AS j
    WHERE j.id = p_job;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.save_progress(uuid, uuid, bigint, integer, integer) IS
    'Saves the progress of a job that a handler runs, if its version is the one given.';
GRANT EXECUTE ON FUNCTION jobs.save_progress(uuid, uuid, bigint, integer, integer) TO hub_worker;
