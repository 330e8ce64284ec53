-- Appends one event of a job to the audit trail and tells the listeners. Called by whoever holds the
-- job's row lock, in the transaction that made the change, so the event and the change commit together.
-- Exactly one of p_actor (a user), p_worker and neither (the operator) is given.
-- Raises: nothing of its own.
-- Locks: audit (insert only).
-- Callers: jobs.create_job, jobs.claim, jobs._leave_running, jobs._end_job, jobs._request_cancel,
--   jobs.download_archive, jobs.delete_archive.
CREATE OR REPLACE FUNCTION jobs._record_event(
    p_job uuid,
    p_event text,
    p_actor uuid DEFAULT NULL,
    p_worker text DEFAULT NULL,
    p_address inet DEFAULT NULL,
    p_detail jsonb DEFAULT '{}'
)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO jobs_store.audit_event
        (at, event, workspace_id, job_id, actor_id, actor_name, by, worker, address, detail)
    SELECT clock_timestamp(), p_event, j.workspace_id, j.id, p_actor,
           (SELECT u.name FROM hub_store.app_user AS u WHERE u.id = p_actor),
           CASE WHEN p_actor IS NOT NULL THEN 'user' WHEN p_worker IS NOT NULL THEN 'worker' ELSE 'operator' END,
           p_worker, p_address, p_detail
    FROM jobs_store.job AS j
    WHERE j.id = p_job;
    PERFORM jobs._notify(p_job);
END;
$$;

COMMENT ON FUNCTION jobs._record_event(uuid, text, uuid, text, inet, jsonb) IS
    'Appends one event of a job to the audit trail and notifies.';
