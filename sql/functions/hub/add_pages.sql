-- Adds pages, [{"title", "content", "tags"}], in their order after the last one of a course: all of them,
-- or none when one is wrong.
-- Answers: ok (detail {"id": the course's, "added": a number}), not_found, invalid (pointers such as
--   /3/title).
-- Raises: KH500 outside READ COMMITTED; 55P03 when the lock is not had in time.
-- Locks: course (whoever adds pages to it; comes after workspace).
-- Callers: the operator.
CREATE OR REPLACE FUNCTION hub.add_pages(p_course uuid, p_pages jsonb)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM hub._require_read_committed();
    RETURN QUERY
    SELECT a.outcome, a.detail, a.body
    FROM hub._append_pages(p_course, p_pages, false) AS a;
END;
$$;

COMMENT ON FUNCTION hub.add_pages(uuid, jsonb) IS 'Adds pages to the end of a course.';
GRANT EXECUTE ON FUNCTION hub.add_pages(uuid, jsonb) TO hub_operator;
