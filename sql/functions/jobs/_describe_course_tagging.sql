-- Kind course_tagging, step describe: the course of a request {"workspace", "request"} as it is now.
-- Answers: {"labels": {"course_title"}, "total"}; or a refusal {"outcome": "invalid" | "course_too_large", "detail"}.
-- Raises: nothing.
-- Locks: none.
-- Callers: jobs._call_kind.
CREATE OR REPLACE FUNCTION jobs._describe_course_tagging(p_argument jsonb)
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_course uuid := (p_argument -> 'request' ->> 'course_id')::uuid;
    v_most integer := jobs._setting('MaxCoursePages');
    v_title text;
    v_pages bigint;
BEGIN
    SELECT c.title INTO v_title
    FROM hub_store.course AS c
    WHERE c.id = v_course AND c.workspace_id = (p_argument ->> 'workspace')::uuid;
    IF NOT FOUND THEN
        RETURN jsonb_build_object(
            'outcome', 'invalid',
            'detail', hub._invalid('/course_id', 'there is no such course in this workspace'));
    END IF;
    SELECT count(*) INTO v_pages
    FROM (SELECT FROM hub_store.page AS p WHERE p.course_id = v_course LIMIT v_most + 1) AS p;
    IF v_pages > v_most THEN
        RETURN jsonb_build_object(
            'outcome', 'course_too_large',
            'detail', jsonb_build_object('limit', 'MaxCoursePages', 'value', v_most));
    END IF;
    RETURN jsonb_build_object('labels', jsonb_build_object('course_title', v_title), 'total', v_pages);
END;
$$;

COMMENT ON FUNCTION jobs._describe_course_tagging(jsonb) IS 'Kind course_tagging: judges the course of a request.';
