-- Ends a job that a handler ran: with a result, or with a failure code. A cancel request wins over both,
-- and so do lost rights of the actor.
-- Answers: the state the job is in now (succeeded, failed, cancelled) and its snapshot.
-- Raises: KH423 when the lease is lost; KH500, also for a failure code that is not known.
-- Locks: job, audit.
-- Callers: the worker.
CREATE OR REPLACE FUNCTION jobs.finish(
    p_job uuid,
    p_lease uuid,
    p_result jsonb DEFAULT NULL,
    p_failure_code text DEFAULT NULL
)
RETURNS TABLE (outcome text, snapshot text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM jobs._hold(p_job, p_lease);
    IF p_failure_code IS NULL THEN
        outcome := jobs._leave_running(p_job, 'succeeded', NULL, p_result);
    ELSIF jobs._failure(p_failure_code) IS NULL THEN
        RAISE EXCEPTION 'there is no failure code %', quote_literal(p_failure_code) USING ERRCODE = 'KH500';
    ELSE
        outcome := jobs._leave_running(p_job, 'failed', p_failure_code);
    END IF;
    snapshot := jobs._snapshot(p_job);
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.finish(uuid, uuid, jsonb, text) IS 'Ends a job that a handler ran.';
GRANT EXECUTE ON FUNCTION jobs.finish(uuid, uuid, jsonb, text) TO hub_worker;
