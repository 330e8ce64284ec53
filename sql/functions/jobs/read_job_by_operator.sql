-- The snapshot of any job, for the operator.
-- Answers: ok (detail {"version", "terminal"}), not_found.
-- Raises: nothing.
-- Locks: none.
-- Callers: the operator.
CREATE OR REPLACE FUNCTION jobs.read_job_by_operator(p_job uuid)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    SELECT r.detail, r.body INTO detail, body FROM jobs._read_job(p_job) AS r;
    outcome := CASE WHEN FOUND THEN 'ok' ELSE 'not_found' END;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.read_job_by_operator(uuid) IS 'The snapshot of any job, for the operator.';
GRANT EXECUTE ON FUNCTION jobs.read_job_by_operator(uuid) TO hub_operator;
