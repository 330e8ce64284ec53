-- The workspace that a backup reads, for the holder of its lease as the consistent read sees it: a plain
-- read, since the transaction must not write. That the lease still holds, and that the job is to go on, is
-- asked beside it, on another connection (jobs.save_progress, jobs.renew).
-- Raises: KH500 outside REPEATABLE READ; KH423 when the lease is not the job's, or the job no backup;
--   KH408 when the read has been open for MaxBackupSeconds.
-- Locks: none.
-- Callers: jobs.open_consistent_read, jobs.read_courses, jobs.read_pages, jobs.read_members.
CREATE OR REPLACE FUNCTION jobs._workspace_of_backup(p_job uuid, p_lease uuid)
RETURNS uuid
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_workspace uuid;
BEGIN
    IF current_setting('transaction_isolation') <> 'repeatable read' THEN
        RAISE EXCEPTION 'this function works in a REPEATABLE READ transaction only'
            USING ERRCODE = 'KH500', HINT = 'Begin a transaction and call jobs.open_consistent_read first.';
    END IF;
    -- The kind is no condition, or a plan may look through all backups.
    SELECT CASE WHEN j.kind = 'backup' THEN j.workspace_id END INTO v_workspace
    FROM jobs_store.job AS j
    WHERE j.id = p_job AND j.lease = p_lease;
    IF v_workspace IS NULL THEN
        RAISE EXCEPTION 'the lease of job % is lost', p_job
            USING ERRCODE = 'KH423', HINT = 'Abandon the job and write nothing more.';
    ELSIF clock_timestamp() > transaction_timestamp() + make_interval(secs => jobs._setting('MaxBackupSeconds')) THEN
        RAISE EXCEPTION 'the consistent read of job % has been open for longer than MaxBackupSeconds', p_job
            USING ERRCODE = 'KH408', HINT = 'Raise the setting MaxBackupSeconds, or find out what was slow.';
    END IF;
    RETURN v_workspace;
END;
$$;

COMMENT ON FUNCTION jobs._workspace_of_backup(uuid, uuid) IS
    'The workspace that a backup reads, or an error that says why it may not.';
