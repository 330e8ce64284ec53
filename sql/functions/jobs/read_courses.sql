-- The courses of a backup's workspace in their order, from the position after p_after (NULL: the first) on:
-- at most 100, of about 1 MB in all, and at least one where there is one. The index gives the order (jobs.read_pages).
-- Raises: KH423, KH408, KH500 (jobs._workspace_of_backup).
-- Locks: none.
-- Callers: the worker.
CREATE OR REPLACE FUNCTION jobs.read_courses(p_job uuid, p_lease uuid, p_after integer)
RETURNS TABLE (id uuid, "position" integer, title text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_sort = off
AS $$
DECLARE
    v_workspace uuid := jobs._workspace_of_backup(p_job, p_lease);
BEGIN
    RETURN QUERY
    SELECT t.id, t.position, t.title
    FROM (
        SELECT f.id, f.position, f.title, f.size,
               sum(f.size) OVER (ORDER BY f.position ROWS UNBOUNDED PRECEDING) AS sum
        FROM (
            SELECT c.id, c.position, c.title, octet_length(c.title) AS size
            FROM hub_store.course AS c
            WHERE c.workspace_id = v_workspace AND c.position > coalesce(p_after, -1)
            ORDER BY c.position
            LIMIT 100
        ) AS f
    ) AS t
    WHERE t.sum - t.size < 1048576
    ORDER BY t.position;
END;
$$;

COMMENT ON FUNCTION jobs.read_courses(uuid, uuid, integer) IS 'The next courses that a backup reads.';
GRANT EXECUTE ON FUNCTION jobs.read_courses(uuid, uuid, integer) TO hub_worker;
