-- A job as answers carry it: detail {"version", "terminal"} and the snapshot, read in one statement, so
-- that they belong together.
-- Raises: nothing; no row where there is no such job.
-- Locks: none.
-- Callers: functions that answer with one job.
CREATE OR REPLACE FUNCTION jobs._read_job(p_job uuid)
RETURNS TABLE (detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT jsonb_build_object('version', j.version, 'terminal', j.finished_at IS NOT NULL), jobs._snapshot(j.id)
    FROM jobs_store.job AS j
    WHERE j.id = p_job;
END;
$$;

COMMENT ON FUNCTION jobs._read_job(uuid) IS 'A job as the answers of functions carry it.';
