-- A JSON array of tags as it is kept: each normalised, and of those with the same lower() form only the
-- first. Any JSON value may be given, NULL too (the member is missing).
-- Either `tags` or `errors` is NULL; errors: [{"pointer": "/tags" or "/tags/3", "message"}], of the
-- elements the first 100 that are wrong. An array of more than 10,000 is refused as a whole: a page's body
-- has room for half a million, which take seconds.
-- Raises: nothing.
-- Locks: none.
-- Callers: hub._normalise_page, jobs._normalise_course_tagging, jobs.preview_tagging.
CREATE OR REPLACE FUNCTION hub._normalise_tags(
    p_tags jsonb,
    p_least integer,
    p_most integer,
    OUT tags text[],
    OUT errors jsonb
)
LANGUAGE plpgsql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF p_tags IS NULL OR jsonb_typeof(p_tags) <> 'array' THEN
        errors := jsonb_build_array(hub._error('/tags', 'send an array of strings'));
        RETURN;
    ELSIF jsonb_array_length(p_tags) > 10000 THEN
        errors := jsonb_build_array(
            hub._error('/tags', format('send %s to %s different tags, each once', p_least, p_most)));
        RETURN;
    END IF;
    WITH element AS MATERIALIZED (
        SELECT e.place, n.tag, n.problem
        FROM jsonb_array_elements(p_tags) WITH ORDINALITY AS e (value, place)
        CROSS JOIN LATERAL hub._normalise_tag(
            CASE WHEN jsonb_typeof(e.value) = 'string' THEN e.value #>> '{}' END) AS n
    ), kept AS (
        SELECT DISTINCT ON (lower(e.tag)) e.place, e.tag
        FROM element AS e
        WHERE e.problem IS NULL
        ORDER BY lower(e.tag), e.place
    ), wrong AS (
        SELECT e.place, hub._error('/tags/' || e.place - 1, e.problem) AS error
        FROM element AS e
        WHERE e.problem IS NOT NULL
        ORDER BY e.place
        LIMIT 100
    )
    SELECT ARRAY(SELECT k.tag FROM kept AS k ORDER BY k.place),
           (SELECT jsonb_agg(w.error ORDER BY w.place) FROM wrong AS w)
    INTO tags, errors;
    IF errors IS NULL AND cardinality(tags) NOT BETWEEN p_least AND p_most THEN
        errors := jsonb_build_array(
            hub._error('/tags', format('send %s to %s different tags', p_least, p_most)));
    END IF;
    IF errors IS NOT NULL THEN
        tags := NULL;
    END IF;
END;
$$;

COMMENT ON FUNCTION hub._normalise_tags(jsonb, integer, integer) IS
    'Tags in their kept form without repetitions, or what is wrong with them.';
