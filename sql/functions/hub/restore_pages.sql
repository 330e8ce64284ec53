-- Adds a backup's pages as add_pages does, but with the very tags they had: an archive may come from a version
-- of PostgreSQL whose Unicode is another, and what was normal there is not made another tag here.
-- Answers: ok (detail {"id": the course's, "added": a number}), not_found, invalid (pointers such as
--   /3/title).
-- Raises: KH500 outside READ COMMITTED; 55P03 when the lock is not had in time.
-- Locks: course (whoever adds pages to it; comes after workspace).
-- Callers: the operator.
CREATE OR REPLACE FUNCTION hub.restore_pages(p_course uuid, p_pages jsonb)
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
    FROM hub._append_pages(p_course, p_pages, true) AS a;
END;
$$;

COMMENT ON FUNCTION hub.restore_pages(uuid, jsonb) IS 'Adds a backup''s pages to the end of a course.';
GRANT EXECUTE ON FUNCTION hub.restore_pages(uuid, jsonb) TO hub_operator;
