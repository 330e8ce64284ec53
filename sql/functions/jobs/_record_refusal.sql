-- Appends to the workspace's audit trail that a member who may not was refused a job or a cancellation: a
-- refusal is an answer, so this commits. The trail is kept for ever, so of one member and event the first
-- in a minute is recorded. Which job it was is in the detail: the job's own trail holds what happened to
-- it. The caller holds the membership's lock, which makes his refusals one after another.
-- Raises: nothing of its own.
-- Locks: audit (insert only).
-- Callers: jobs.create_job, jobs.cancel_job.
CREATE OR REPLACE FUNCTION jobs._record_refusal(
    p_event text,
    p_workspace uuid,
    p_actor uuid,
    p_job uuid,
    p_address inet
)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_now timestamptz := clock_timestamp();
BEGIN
    IF NOT EXISTS (
        SELECT
        FROM jobs_store.audit_event AS a
        WHERE a.workspace_id = p_workspace
            AND a.actor_id = p_actor
            AND a.event = p_event
            AND a.event IN ('job.create_refused', 'job.cancel_refused')
            AND a.at > v_now - interval '1 minute')
    THEN
        INSERT INTO jobs_store.audit_event (at, event, workspace_id, actor_id, actor_name, by, address, detail)
        SELECT v_now, p_event, p_workspace, u.id, u.name, 'user', p_address,
               CASE WHEN jobs._workspace_of(p_job) = p_workspace THEN jsonb_build_object('job_id', p_job) ELSE '{}' END
        FROM hub_store.app_user AS u
        WHERE u.id = p_actor;
    END IF;
END;
$$;

COMMENT ON FUNCTION jobs._record_refusal(text, uuid, uuid, uuid, inet) IS
    'Appends a refusal to the audit trail, at most one a minute.';
