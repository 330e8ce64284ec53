-- Admission: one call decides on a request for a job and, when it is accepted, commits the job row, its
-- worklist and its event together. It judges in this order: session and rights, shape, idempotency key,
-- content, capacity.
-- Answers: created, replayed (detail {"job_id", "version"}; body: the snapshot); unauthenticated,
--   not_found, not_administrator (recorded), invalid, idempotency_conflict, course_too_large, capacity.
-- It may wait for the workspace longer than other calls wait for a lock: a large course takes its time.
-- Raises: KH500 outside READ COMMITTED; 40001 when the course grew meanwhile (try again).
-- Locks: membership, workspace, job, audit.
-- Callers: the API.
CREATE OR REPLACE FUNCTION jobs.create_job(
    p_session bytea,
    p_workspace uuid,
    p_key text,
    p_body jsonb,
    p_address inet
)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '4s'
AS $$
DECLARE
    v_actor uuid;
    v_actor_name text;
    v_shape jsonb;
    v_content jsonb;
    v_job uuid;
    v_plan jsonb;
BEGIN
    PERFORM hub._require_read_committed();
    SELECT a.outcome, a.user_id, a.user_name INTO outcome, v_actor, v_actor_name
    FROM hub._lock_access(p_session, p_workspace, 'administer') AS a;
    IF outcome <> 'ok' THEN
        IF outcome = 'not_administrator' THEN
            PERFORM jobs._record_refusal('job.create_refused', p_workspace, v_actor, NULL, p_address);
        END IF;
        RETURN NEXT;
        RETURN;
    END IF;
    v_shape := jobs._normalise(p_body);
    IF v_shape ? 'errors' THEN
        RETURN QUERY SELECT 'invalid', jsonb_build_object('errors', v_shape -> 'errors'), NULL;
        RETURN;
    END IF;
    PERFORM FROM hub_store.workspace AS w WHERE w.id = p_workspace FOR NO KEY UPDATE;
    RETURN QUERY SELECT r.outcome, r.detail, r.body FROM jobs._replay(p_workspace, v_actor, p_key, v_shape) AS r;
    IF FOUND THEN
        RETURN;
    END IF;
    v_content := jobs._call_kind(
        v_shape ->> 'kind', 'describe',
        jsonb_build_object('workspace', p_workspace, 'request', v_shape -> 'request'));
    IF v_content ? 'outcome' THEN
        RETURN QUERY SELECT v_content ->> 'outcome', v_content -> 'detail', NULL;
        RETURN;
    END IF;
    detail := jobs._check_capacity(p_workspace, v_actor);
    IF detail IS NOT NULL THEN
        outcome := 'capacity';
        RETURN NEXT;
        RETURN;
    END IF;
    INSERT INTO jobs_store.job
        (workspace_id, kind, itemised, actor_id, actor_name, idempotency_key, request, labels, total,
         max_attempts, created_at, notified_at)
    SELECT p_workspace, k.name, k.itemised, v_actor, v_actor_name, p_key, v_shape -> 'request',
           coalesce(v_content -> 'labels', '{}'), coalesce((v_content ->> 'total')::integer, 0),
           jobs._setting('MaxAttempts'), n.now, n.now
    FROM jobs_store.kind AS k, (SELECT clock_timestamp() AS now) AS n
    WHERE k.name = v_shape ->> 'kind'
    RETURNING id INTO v_job;
    v_plan := jobs._call_kind(v_shape ->> 'kind', 'plan', jsonb_build_object('job', v_job));
    -- Hardly ever: pages came or went since they were counted.
    UPDATE jobs_store.job AS j SET total = (v_plan ->> 'total')::integer
    WHERE j.id = v_job AND j.total <> (v_plan ->> 'total')::integer;
    PERFORM jobs._record_event(v_job, 'job.queued', v_actor, NULL, p_address);
    RETURN QUERY SELECT 'created', jsonb_build_object('job_id', v_job, 'version', 1), jobs._snapshot(v_job);
END;
$$;

COMMENT ON FUNCTION jobs.create_job(bytea, uuid, text, jsonb, inet) IS 'Admits a job, or says why not.';
GRANT EXECUTE ON FUNCTION jobs.create_job(bytea, uuid, text, jsonb, inet) TO hub_api;
