-- Tags pages one by one, in one block, until p_deadline, but at least the first of them. When the database
-- refuses a page, the block is undone and done again up to that page, which is then the first of the next
-- step; a first page that is refused is recorded as rejected. p_keys are the lower() forms of p_tags,
-- p_locked_since is since when the first page was found locked.
-- Answers: how many are changed, skipped and failed, in all as many as were visited; stopped: NULL, `locked`
--   (somebody holds the next page; after ten seconds it is recorded as busy and passed over), or
--   `not_authorised`; locked_since, of the next page.
-- Raises: what is not the page's fault (jobs._is_page_fault).
-- Locks: page (never waits for one).
-- Callers: jobs._advance_course_tagging.
CREATE OR REPLACE FUNCTION jobs._tag_one_by_one(
    p_job uuid,
    p_pages uuid[],
    p_tags text[],
    p_keys text[],
    p_actor uuid,
    p_workspace uuid,
    p_locked_since timestamptz,
    p_deadline timestamptz,
    OUT changed integer,
    OUT skipped integer,
    OUT failed integer,
    OUT stopped text,
    OUT locked_since timestamptz
)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_pages uuid[] := p_pages;
    v_deadline timestamptz := p_deadline;
    v_page uuid;
    v_answer text;
BEGIN
    LOOP
        changed := 0;
        skipped := 0;
        failed := 0;
        locked_since := p_locked_since;
        BEGIN
            FOREACH v_page IN ARRAY v_pages LOOP
                IF NOT hub._is_administrator(p_actor, p_workspace) THEN
                    stopped := 'not_authorised';
                    EXIT;
                END IF;
                v_answer := jobs._tag_page(v_page, p_tags, p_keys);
                IF v_answer = 'changed' THEN
                    changed := changed + 1;
                ELSIF v_answer = 'skipped' THEN
                    skipped := skipped + 1;
                ELSIF v_answer = 'locked'
                    AND coalesce(locked_since, 'infinity') > clock_timestamp() - interval '10 seconds'
                THEN
                    locked_since := coalesce(locked_since, clock_timestamp());
                    stopped := 'locked';
                    EXIT;
                ELSE
                    PERFORM jobs._record_page_error(
                        p_job, v_page, CASE v_answer WHEN 'locked' THEN 'page_busy' ELSE v_answer END);
                    failed := failed + 1;
                END IF;
                locked_since := NULL;
                EXIT WHEN clock_timestamp() >= v_deadline;
            END LOOP;
            EXIT;
        EXCEPTION WHEN OTHERS THEN
            IF NOT jobs._is_page_fault(sqlstate) THEN
                RAISE;
            END IF;
            v_pages := v_pages[:changed + skipped + failed];
            v_deadline := 'infinity';
            IF v_pages = '{}' THEN
                RAISE LOG 'job %: page % was rejected with SQLSTATE %', p_job, v_page, sqlstate;
                PERFORM jobs._record_page_error(p_job, v_page, 'page_rejected');
                failed := 1;
                locked_since := NULL;
                EXIT;
            END IF;
        END;
    END LOOP;
END;
$$;

COMMENT ON FUNCTION jobs._tag_one_by_one(uuid, uuid[], text[], text[], uuid, uuid, timestamptz, timestamptz) IS
    'Tags pages one by one.';
