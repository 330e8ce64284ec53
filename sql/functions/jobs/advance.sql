-- One step of a job whose items live in this database: what was done, its outcomes, the counters, the
-- position, the version and the renewed lease commit together, or nothing does. A cancel request or lost
-- rights stop the job before the next item; the last item ends it.
-- p_page_limit and p_budget (a time) bound the step.
-- Answers: continue, wait (the next page is locked by somebody: call again in 200 ms), ended (terminal).
-- Raises: KH423 when the lease is lost; 55P03 when a table is locked (the whole step is undone); KH500,
--   also for a job that a handler runs.
-- Locks: job, page (never waits for one), audit.
-- Callers: the worker.
CREATE OR REPLACE FUNCTION jobs.advance(
    p_job uuid,
    p_lease uuid,
    p_page_limit integer DEFAULT 1000,
    p_budget interval DEFAULT '20 milliseconds'
)
RETURNS TABLE (outcome text, snapshot text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_job record;
    v_step jsonb;
    v_stopped text;
    v_processed integer;
BEGIN
    PERFORM jobs._hold(p_job, p_lease);
    SELECT j.kind, k.advance_function IS NOT NULL AS steps, j.total, j.processed, j.changed, j.skipped, j.failed,
           j.cancel_requested_at IS NULL AND hub._is_administrator(j.actor_id, j.workspace_id) AS goes_on
    INTO v_job
    FROM jobs_store.job AS j
    JOIN jobs_store.kind AS k ON k.name = j.kind
    WHERE j.id = p_job;
    IF NOT v_job.steps THEN
        RAISE EXCEPTION 'jobs of kind % are run by a handler', v_job.kind USING ERRCODE = 'KH500';
    END IF;
    v_processed := v_job.processed;
    IF v_job.goes_on AND v_job.processed < v_job.total THEN
        v_step := jobs._call_kind(v_job.kind, 'advance', jsonb_build_object(
            'job', p_job, 'page_limit', p_page_limit, 'budget', p_budget));
        v_stopped := v_step ->> 'stopped';
        v_processed := v_processed + (v_step ->> 'changed')::integer + (v_step ->> 'skipped')::integer
            + (v_step ->> 'failed')::integer;
        PERFORM jobs._save_progress(
            p_job, v_job.total, v_processed,
            v_job.changed + (v_step ->> 'changed')::integer,
            v_job.skipped + (v_step ->> 'skipped')::integer,
            v_job.failed + (v_step ->> 'failed')::integer);
    END IF;
    outcome := 'ended';
    IF NOT v_job.goes_on OR v_stopped = 'not_authorised' THEN
        -- Where a cancel request is the reason, it comes first there.
        PERFORM jobs._leave_running(p_job, 'failed', 'actor_not_authorised');
    ELSIF v_processed = v_job.total THEN
        PERFORM jobs._leave_running(p_job, 'succeeded');
    ELSE
        outcome := CASE WHEN v_stopped = 'locked' THEN 'wait' ELSE 'continue' END;
    END IF;
    snapshot := jobs._snapshot(p_job);
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.advance(uuid, uuid, integer, interval) IS
    'One step of a job whose items live in the database.';
GRANT EXECUTE ON FUNCTION jobs.advance(uuid, uuid, integer, interval) TO hub_worker;
