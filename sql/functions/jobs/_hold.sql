-- Makes sure that the caller holds the current, unexpired lease of a job, and keeps it that way for the
-- rest of the transaction: validity is judged once, right after the row lock.
-- Raises: KH423 when the lease is lost, over or was never given; KH500 outside READ COMMITTED.
-- Locks: job.
-- Callers: every function a worker calls on its job.
CREATE OR REPLACE FUNCTION jobs._hold(p_job uuid, p_lease uuid)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM hub._require_read_committed();
    PERFORM FROM jobs_store.job AS j WHERE j.id = p_job FOR NO KEY UPDATE;
    IF NOT EXISTS (
        SELECT FROM jobs_store.job AS j
        WHERE j.id = p_job AND j.lease = p_lease AND j.lease_until > clock_timestamp()
    ) THEN
        RAISE EXCEPTION 'the lease of job % is lost', p_job
            USING ERRCODE = 'KH423', HINT = 'Abandon the job and write nothing more.';
    END IF;
END;
$$;

COMMENT ON FUNCTION jobs._hold(uuid, uuid) IS 'Locks a job for the holder of its lease, or raises KH423.';
