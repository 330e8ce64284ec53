-- Tells the feed, when this transaction commits, that a job changed, and the workers when there is
-- one to claim. The payload is the opaque job id: a notification is a hint that every listener
-- re-reads through its own function. Of a job that is not there nothing is told.
-- Raises: nothing.
-- Locks: none now; NOTIFY serialises commits across the database, so progress is told at most five
--   times a second (jobs._save_progress).
-- Callers: jobs._record_event, jobs._save_progress.
CREATE OR REPLACE FUNCTION jobs._notify(p_job uuid)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- The state is no condition, or a plan may look for the job among all queued ones.
    PERFORM pg_notify('knowledgehub_job', p_job::text),
            CASE WHEN j.state = 'queued' THEN pg_notify('knowledgehub_queue', p_job::text) END
    FROM jobs_store.job AS j
    WHERE j.id = p_job;
END;
$$;

COMMENT ON FUNCTION jobs._notify(uuid) IS 'Tells listeners that a job changed.';
