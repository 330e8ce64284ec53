-- Kind course_tagging, step normalise: the shape of {"kind", "course_id", "tags"}.
-- Answers: {"request": {"course_id", "tags"}, "identity": {"course_id", "tags"}} where identity holds
--   the tags as a set (lower-case, sorted); or {"errors": [...]}.
-- Raises: nothing.
-- Locks: none.
-- Callers: jobs._call_kind.
CREATE OR REPLACE FUNCTION jobs._normalise_course_tagging(p_argument jsonb)
RETURNS jsonb
LANGUAGE plpgsql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_errors jsonb := hub._unknown_members(p_argument, ARRAY['kind', 'course_id', 'tags']);
    v_course uuid;
    v_tags text[];
    v_tag_errors jsonb;
BEGIN
    IF jsonb_typeof(p_argument -> 'course_id') = 'string' THEN
        v_course := hub._uuid(p_argument ->> 'course_id');
    END IF;
    IF v_course IS NULL THEN
        v_errors := v_errors || hub._error('/course_id', 'send the id of a course');
    END IF;
    SELECT t.tags, t.errors INTO v_tags, v_tag_errors
    FROM hub._normalise_tags(p_argument -> 'tags', 1, 20) AS t;
    v_errors := v_errors || coalesce(v_tag_errors, '[]');
    IF v_errors <> '[]' THEN
        RETURN jsonb_build_object('errors', v_errors);
    END IF;
    RETURN jsonb_build_object(
        'request', jsonb_build_object('course_id', v_course, 'tags', v_tags),
        'identity', jsonb_build_object(
            'course_id', v_course,
            'tags', (SELECT jsonb_agg(t.tag ORDER BY t.tag) FROM unnest(hub._lower_tags(v_tags)) AS t (tag))));
END;
$$;

COMMENT ON FUNCTION jobs._normalise_course_tagging(jsonb) IS 'Kind course_tagging: judges and normalises a request.';
