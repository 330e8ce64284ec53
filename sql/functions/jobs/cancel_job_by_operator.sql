-- The operator asks for the cancellation of any job; the audit trail says by whom.
-- Answers: ok, asked, terminal (as jobs.cancel_job), not_found.
-- Raises: KH500 outside READ COMMITTED.
-- Locks: job, audit.
-- Callers: the operator.
CREATE OR REPLACE FUNCTION jobs.cancel_job_by_operator(p_job uuid)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM hub._require_read_committed();
    outcome := 'not_found';
    IF EXISTS (SELECT FROM jobs_store.job AS j WHERE j.id = p_job) THEN
        outcome := jobs._request_cancel(p_job, NULL, NULL);
        SELECT r.detail, r.body INTO detail, body FROM jobs._read_job(p_job) AS r;
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.cancel_job_by_operator(uuid) IS
    'Asks for the cancellation of any job, by the operator.';
GRANT EXECUTE ON FUNCTION jobs.cancel_job_by_operator(uuid) TO hub_operator;
