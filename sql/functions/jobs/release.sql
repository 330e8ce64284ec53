-- Gives a claim back, for a worker that drains: the job is queued again and no attempt is charged. A
-- cancel request, or lost rights of the actor, end it instead.
-- Answers: the state the job is in now (queued, cancelled, failed) and its snapshot.
-- Raises: KH423 when the lease is lost; KH500.
-- Locks: job, audit.
-- Callers: the worker.
CREATE OR REPLACE FUNCTION jobs.release(p_job uuid, p_lease uuid)
RETURNS TABLE (outcome text, snapshot text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM jobs._hold(p_job, p_lease);
    outcome := jobs._leave_running(p_job, 'queued');
    snapshot := jobs._snapshot(p_job);
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.release(uuid, uuid) IS 'Gives a claim back without charging an attempt.';
GRANT EXECUTE ON FUNCTION jobs.release(uuid, uuid) TO hub_worker;
