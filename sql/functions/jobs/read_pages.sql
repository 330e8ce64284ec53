-- The pages of a course of a backup's workspace in their order, from the position after p_after (NULL: the
-- first) on: at most 100, of about 1 MB in all, and at least one where there is one. The time is RFC 3339
-- text in UTC.
-- Without sorting the index gives the order, and a call reads no further than it answers; a plan made before
-- the table was analysed would read and sort the rest of the course each time.
-- Raises: KH423, KH408, KH500 (jobs._workspace_of_backup).
-- Locks: none.
-- Callers: the worker.
CREATE OR REPLACE FUNCTION jobs.read_pages(p_job uuid, p_lease uuid, p_course uuid, p_after integer)
RETURNS TABLE (id uuid, "position" integer, title text, content text, tags text[], updated_at text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_sort = off
AS $$
DECLARE
    v_workspace uuid := jobs._workspace_of_backup(p_job, p_lease);
BEGIN
    -- Sizes are known without the content being read; only what is answered is.
    RETURN QUERY
    SELECT t.id, t.position, t.title, t.content, t.tags, hub._utc(t.updated_at)
    FROM (
        SELECT f.*, sum(f.size) OVER (ORDER BY f.position ROWS UNBOUNDED PRECEDING) AS sum
        FROM (
            SELECT p.id, p.position, p.title, p.content, p.tags, p.updated_at,
                   octet_length(p.title) + octet_length(p.content) AS size
            FROM hub_store.page AS p
            WHERE p.course_id = (
                    SELECT c.id FROM hub_store.course AS c WHERE c.id = p_course AND c.workspace_id = v_workspace)
                AND p.position > coalesce(p_after, -1)
            ORDER BY p.position
            LIMIT 100
        ) AS f
    ) AS t
    WHERE t.sum - t.size < 1048576
    ORDER BY t.position;
END;
$$;

COMMENT ON FUNCTION jobs.read_pages(uuid, uuid, uuid, integer) IS 'The next pages of a course that a backup reads.';
GRANT EXECUTE ON FUNCTION jobs.read_pages(uuid, uuid, uuid, integer) TO hub_worker;
