-- Deletes the archive of a backup, by the operator: from now on it is gone for everybody, and its file may be
-- removed. The job and its result stay.
-- Answers: ok, archive_gone (deleted before), both with detail {"archive"}; not_found (also a backup that did
--   not succeed).
-- Raises: KH500 outside READ COMMITTED; 55P03 when the lock is not had in time.
-- Locks: job, audit.
-- Callers: the operator.
CREATE OR REPLACE FUNCTION jobs.delete_archive(p_job uuid)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM hub._require_read_committed();
    SELECT l.outcome, jsonb_build_object('archive', l.result -> 'archive') INTO outcome, detail
    FROM jobs._lock_archive(NULL, p_job) AS l;
    IF outcome = 'ok' THEN
        INSERT INTO jobs_store.archive_deletion (job_id) VALUES (p_job);
        PERFORM jobs._record_event(p_job, 'backup.deleted');
    ELSIF outcome = 'not_found' THEN
        detail := NULL;
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.delete_archive(uuid) IS 'Deletes the archive of a backup, by the operator.';
GRANT EXECUTE ON FUNCTION jobs.delete_archive(uuid) TO hub_operator;
