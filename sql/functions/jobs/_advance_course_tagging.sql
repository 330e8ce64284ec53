-- Kind course_tagging, step advance: tags the next pages of a running job {"job", "page_limit", "budget"},
-- many at once as long as nothing has to be decided about one of them, then one by one.
-- Answers: {"changed", "skipped", "failed", "stopped"}; stopped: null, "locked" or "not_authorised"
--   (jobs._tag_one_by_one).
-- Raises: what is not the page's fault (jobs._is_page_fault).
-- Locks: job (held by the caller), page (never waits for one).
-- Callers: jobs._call_kind.
CREATE OR REPLACE FUNCTION jobs._advance_course_tagging(p_argument jsonb)
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_id uuid := (p_argument ->> 'job')::uuid;
    v_budget interval := (p_argument ->> 'budget')::interval;
    v_deadline timestamptz := clock_timestamp() + v_budget;
    v_job record;
    v_pages uuid[];
    v_tagged integer;
    v_rest record;
BEGIN
    SELECT j.actor_id, j.workspace_id, j.processed, j.page_locked_since, t.tags, hub._lower_tags(t.tags) AS keys
    INTO v_job
    FROM jobs_store.job AS j,
         LATERAL (SELECT ARRAY(SELECT jsonb_array_elements_text(j.request -> 'tags')) AS tags) AS t
    WHERE j.id = v_id;
    v_pages := jobs._next_pages(v_id, v_job.processed, least((p_argument ->> 'page_limit')::integer, 1000));
    v_tagged := jobs._tag_pages(
        v_pages, v_job.tags, v_job.keys, v_job.actor_id, v_job.workspace_id, v_deadline);
    IF v_tagged = 0 THEN
        -- What was tried at once may have used the time up.
        v_deadline := clock_timestamp() + v_budget;
    ELSE
        v_job.page_locked_since := NULL;
        v_pages := CASE WHEN clock_timestamp() < v_deadline THEN v_pages[v_tagged + 1:] ELSE '{}' END;
    END IF;
    SELECT r.changed, r.skipped, r.failed, r.stopped, r.locked_since INTO v_rest
    FROM jobs._tag_one_by_one(
        v_id, v_pages, v_job.tags, v_job.keys, v_job.actor_id, v_job.workspace_id, v_job.page_locked_since,
        v_deadline) AS r;
    UPDATE jobs_store.job AS j
    SET page_locked_since = v_rest.locked_since
    WHERE j.id = v_id AND j.page_locked_since IS DISTINCT FROM v_rest.locked_since;
    RETURN jsonb_build_object(
        'changed', v_tagged + v_rest.changed, 'skipped', v_rest.skipped, 'failed', v_rest.failed,
        'stopped', v_rest.stopped);
END;
$$;

COMMENT ON FUNCTION jobs._advance_course_tagging(jsonb) IS 'Kind course_tagging: tags the next pages of a job.';
