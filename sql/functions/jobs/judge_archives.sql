-- Which of these files of the backup folder may go. A file is named <job>.<16 hex digits>.zip by the claim
-- that wrote it; it may go when that job is a backup that has ended and the file is not the archive of its
-- result, or that archive was deleted. What belongs to no job of this database, or is named otherwise, is
-- never answered.
-- A result names its archive in the transaction that ends the job, so no file is judged too early.
-- Raises: nothing.
-- Locks: none.
-- Callers: the worker.
CREATE OR REPLACE FUNCTION jobs.judge_archives(p_names text[])
RETURNS TABLE (name text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT n.name
    FROM unnest(p_names) AS n (name)
    JOIN jobs_store.job AS j ON j.id = hub._uuid(left(n.name, 36))
    WHERE n.name ~ '^[0-9a-f-]{36}[.][0-9a-f]{16}[.]zip$'
        -- As one condition, or a plan may look through all backups for each name.
        AND CASE WHEN j.kind = 'backup' AND j.finished_at IS NOT NULL THEN
            j.result ->> 'archive' IS DISTINCT FROM n.name
            OR EXISTS (SELECT FROM jobs_store.archive_deletion AS d WHERE d.job_id = j.id)
        END;
END;
$$;

COMMENT ON FUNCTION jobs.judge_archives(text[]) IS 'Which files of the backup folder may go.';
GRANT EXECUTE ON FUNCTION jobs.judge_archives(text[]) TO hub_worker;
