-- Renews the lease of a running job; the version stays.
-- Answers: whether the job was asked to stop or its actor lost the right (then the caller stops at its
--   next checkpoint), and the version.
-- Raises: KH423 when the lease is lost; KH500.
-- Locks: job.
-- Callers: the worker.
CREATE OR REPLACE FUNCTION jobs.renew(p_job uuid, p_lease uuid)
RETURNS TABLE (stop_requested boolean, version bigint)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM jobs._hold(p_job, p_lease);
    RETURN QUERY
    UPDATE jobs_store.job AS j
    SET lease_until = clock_timestamp() + make_interval(secs => j.lease_seconds)
    WHERE j.id = p_job
    RETURNING j.cancel_requested_at IS NOT NULL OR NOT hub._is_administrator(j.actor_id, j.workspace_id),
              j.version;
END;
$$;

COMMENT ON FUNCTION jobs.renew(uuid, uuid) IS 'Renews the lease of a running job.';
GRANT EXECUTE ON FUNCTION jobs.renew(uuid, uuid) TO hub_worker;
