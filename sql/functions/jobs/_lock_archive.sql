-- The archive of a backup that succeeded, with its job locked until the transaction ends, so that it cannot
-- be deleted meanwhile. p_workspace NULL: of any workspace.
-- Answers: ok (result: as the worker reported it, finished_at), not_found, archive_gone (result; it was
--   deleted).
-- Raises: 55P03 when the lock is not had in time.
-- Locks: job.
-- Callers: jobs.download_archive, jobs.delete_archive.
CREATE OR REPLACE FUNCTION jobs._lock_archive(
    p_workspace uuid,
    p_job uuid,
    OUT outcome text,
    OUT result jsonb,
    OUT finished_at timestamptz
)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    SELECT j.result, j.finished_at INTO result, finished_at
    FROM jobs_store.job AS j
    WHERE j.id = p_job
        -- As one condition, or a plan may look through all backups.
        AND CASE WHEN j.kind = 'backup' AND j.state = 'succeeded' THEN
            j.workspace_id = coalesce(p_workspace, j.workspace_id)
        END
    FOR NO KEY UPDATE;
    outcome := CASE WHEN NOT FOUND THEN 'not_found' ELSE 'ok' END;
    IF EXISTS (SELECT FROM jobs_store.archive_deletion AS d WHERE d.job_id = p_job) AND outcome = 'ok' THEN
        outcome := 'archive_gone';
    END IF;
END;
$$;

COMMENT ON FUNCTION jobs._lock_archive(uuid, uuid) IS 'The archive of a backup, with its job locked.';
