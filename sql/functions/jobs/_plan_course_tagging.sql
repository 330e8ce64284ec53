-- Kind course_tagging, step plan: writes the worklist of a new job {"job"}, 1,000 page ids a row in page
-- id order, so that all jobs lock pages in one order.
-- Answers: {"total"}.
-- Raises: 40001 when the course outgrew the limit since it was described: the caller tries again.
-- Locks: none beyond the new job's.
-- Callers: jobs._call_kind.
CREATE OR REPLACE FUNCTION jobs._plan_course_tagging(p_argument jsonb)
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_job uuid := (p_argument ->> 'job')::uuid;
    v_total bigint;
BEGIN
    WITH chunk AS (
        INSERT INTO jobs_store.worklist (job_id, chunk, page_ids)
        SELECT v_job, n.chunk, array_agg(n.id ORDER BY n.id)
        FROM (
            SELECT p.id, (row_number() OVER (ORDER BY p.id) - 1) / 1000 AS chunk
            FROM jobs_store.job AS j
            JOIN hub_store.page AS p ON p.course_id = (j.request ->> 'course_id')::uuid
            WHERE j.id = v_job
        ) AS n
        GROUP BY n.chunk
        RETURNING cardinality(page_ids) AS pages
    )
    SELECT coalesce(sum(c.pages), 0) INTO v_total FROM chunk AS c;
    IF v_total > jobs._setting('MaxCoursePages') THEN
        RAISE EXCEPTION 'the course grew while the job was admitted' USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN jsonb_build_object('total', v_total);
END;
$$;

COMMENT ON FUNCTION jobs._plan_course_tagging(jsonb) IS 'Kind course_tagging: writes the worklist of a new job.';
