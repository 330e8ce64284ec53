-- The workspace of a job; NULL where there is no such job. Looked up by the id alone: a plan that knows a
-- workspace, too, may look for the job in an index of that workspace's jobs, stepping over each of them.
-- Raises: nothing.
-- Locks: none.
-- Callers: jobs.read_job, jobs.cancel_job, jobs._record_refusal.
CREATE OR REPLACE FUNCTION jobs._workspace_of(p_job uuid)
RETURNS uuid
LANGUAGE sql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT j.workspace_id FROM jobs_store.job AS j WHERE j.id = p_job;
$$;

COMMENT ON FUNCTION jobs._workspace_of(uuid) IS 'The workspace of a job.';
