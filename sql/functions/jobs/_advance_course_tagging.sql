-- Kind course_tagging, step advance: tags the next pages of a running job {"job", "page_limit", "budget"},
-- many at once as long as nothing has to be decided about one of them, then one by one in one block. When
-- the database refuses a page, the block is undone and done again up to that page, which is then the
-- first of the next step; a first page that is refused is recorded as rejected.
-- Answers: {"changed", "skipped", "failed", "stopped"}; stopped: null, "locked" (somebody holds the next
--   page; after ten seconds it is recorded as busy and passed over), or "not_authorised".
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
    v_page uuid;
    v_answer text;
    v_changed integer;
    v_skipped integer;
    v_failed integer;
    v_locked_since timestamptz;
    v_stopped text;
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
        v_deadline := clock_timestamp() + v_budget;
    ELSE
        v_job.page_locked_since := NULL;
        v_pages := CASE WHEN clock_timestamp() < v_deadline THEN v_pages[v_tagged + 1:] ELSE '{}' END;
    END IF;
    LOOP
        v_changed := 0;
        v_skipped := 0;
        v_failed := 0;
        v_locked_since := v_job.page_locked_since;
        BEGIN
            FOREACH v_page IN ARRAY v_pages LOOP
                v_stopped := CASE WHEN NOT hub._is_administrator(v_job.actor_id, v_job.workspace_id)
                    THEN 'not_authorised' END;
                EXIT WHEN v_stopped IS NOT NULL;
                v_answer := jobs._tag_page(v_page, v_job.tags, v_job.keys);
                IF v_answer = 'changed' THEN
                    v_changed := v_changed + 1;
                ELSIF v_answer = 'skipped' THEN
                    v_skipped := v_skipped + 1;
                ELSIF v_answer = 'locked'
                    AND coalesce(v_locked_since, 'infinity') > clock_timestamp() - interval '10 seconds'
                THEN
                    v_locked_since := coalesce(v_locked_since, clock_timestamp());
                    v_stopped := 'locked';
                    EXIT;
                ELSE
                    PERFORM jobs._record_page_error(
                        v_id, v_page, CASE v_answer WHEN 'locked' THEN 'page_busy' ELSE v_answer END);
                    v_failed := v_failed + 1;
                END IF;
                v_locked_since := NULL;
                EXIT WHEN clock_timestamp() >= v_deadline;
            END LOOP;
            EXIT;
        EXCEPTION WHEN OTHERS THEN
            IF NOT jobs._is_page_fault(sqlstate) THEN
                RAISE;
            END IF;
            v_pages := v_pages[:v_changed + v_skipped + v_failed];
            v_deadline := 'infinity';
            IF v_pages = '{}' THEN
                RAISE LOG 'job %: page % was rejected with SQLSTATE %', v_id, v_page, sqlstate;
                PERFORM jobs._record_page_error(v_id, v_page, 'page_rejected');
                v_failed := 1;
                v_locked_since := NULL;
                EXIT;
            END IF;
        END;
    END LOOP;
    UPDATE jobs_store.job AS j
    SET page_locked_since = v_locked_since
    WHERE j.id = v_id AND j.page_locked_since IS DISTINCT FROM v_locked_since;
    RETURN jsonb_build_object(
        'changed', v_tagged + v_changed, 'skipped', v_skipped, 'failed', v_failed, 'stopped', v_stopped);
END;
$$;

COMMENT ON FUNCTION jobs._advance_course_tagging(jsonb) IS 'Kind course_tagging: tags the next pages of a job.';
