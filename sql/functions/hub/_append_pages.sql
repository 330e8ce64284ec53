-- Adds pages, [{"title", "content", "tags"}], in their order after the last one of a course: all of them,
-- or none when one is wrong. Tags are normalised; with p_tags_as_given they are kept as they are if they could
-- be normalised.
-- Answers: ok (detail {"id": the course's, "added": a number}), not_found, invalid (pointers such as
--   /3/title).
-- Raises: 55P03 when the lock is not had in time.
-- Locks: course (whoever adds pages to it; comes after workspace).
-- Callers: hub.add_pages, hub.restore_pages.
CREATE OR REPLACE FUNCTION hub._append_pages(p_course uuid, p_pages jsonb, p_tags_as_given boolean)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_errors jsonb;
    v_added bigint;
BEGIN
    PERFORM FROM hub_store.course AS c WHERE c.id = p_course FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        outcome := 'not_found';
    ELSIF p_pages IS NULL OR jsonb_typeof(p_pages) <> 'array' THEN
        outcome := 'invalid';
        detail := hub._invalid('', 'send an array of pages');
    END IF;
    IF outcome IS NOT NULL THEN
        RETURN NEXT;
        RETURN;
    END IF;
    WITH item AS MATERIALIZED (
        SELECT e.place, n.title, n.content, n.errors,
               CASE
                   WHEN p_tags_as_given AND n.errors IS NULL THEN
                       ARRAY(SELECT jsonb_array_elements_text(e.value -> 'tags'))
                   ELSE n.tags
               END AS tags
        FROM jsonb_array_elements(p_pages) WITH ORDINALITY AS e (value, place)
        CROSS JOIN LATERAL hub._normalise_page(e.value) AS n
    ), wrong AS (
        SELECT jsonb_agg(
            hub._error('/' || i.place - 1 || (r.error ->> 'pointer'), r.error ->> 'message')
            ORDER BY i.place, r.place) AS errors
        FROM item AS i
        CROSS JOIN LATERAL jsonb_array_elements(i.errors) WITH ORDINALITY AS r (error, place)
    ), added AS (
        INSERT INTO hub_store.page (course_id, position, title, content, tags)
        SELECT p_course, l.position + i.place, i.title, i.content, i.tags
        FROM item AS i
        CROSS JOIN (
            SELECT coalesce(max(p.position), 0) AS position
            FROM hub_store.page AS p
            WHERE p.course_id = p_course) AS l
        WHERE (SELECT w.errors FROM wrong AS w) IS NULL
        RETURNING id
    )
    SELECT w.errors, (SELECT count(*) FROM added) INTO v_errors, v_added FROM wrong AS w;
    IF v_errors IS NULL THEN
        outcome := 'ok';
        detail := jsonb_build_object('id', p_course, 'added', v_added);
    ELSE
        outcome := 'invalid';
        detail := jsonb_build_object('errors', v_errors);
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub._append_pages(uuid, jsonb, boolean) IS 'Adds pages to the end of a course.';
