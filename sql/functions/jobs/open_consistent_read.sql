-- Says what there is to read for a backup. The caller has begun a REPEATABLE READ READ ONLY transaction on a
-- connection of its own, and makes the other reading calls in it: all see the workspace as of this one.
-- Raises: KH423, KH408, KH500 (jobs._workspace_of_backup).
-- Locks: none.
-- Callers: the worker.
CREATE OR REPLACE FUNCTION jobs.open_consistent_read(p_job uuid, p_lease uuid)
RETURNS TABLE (workspace_id uuid, workspace_title text, courses integer, pages integer, members integer)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_workspace uuid := jobs._workspace_of_backup(p_job, p_lease);
BEGIN
    RETURN QUERY
    SELECT w.id,
           w.title,
           (SELECT count(*)::integer FROM hub_store.course AS c WHERE c.workspace_id = w.id),
           (SELECT count(*)::integer
            FROM hub_store.course AS c
            JOIN hub_store.page AS p ON p.course_id = c.id
            WHERE c.workspace_id = w.id),
           (SELECT count(*)::integer FROM hub_store.membership AS m WHERE m.workspace_id = w.id)
    FROM hub_store.workspace AS w
    WHERE w.id = v_workspace;
END;
$$;

COMMENT ON FUNCTION jobs.open_consistent_read(uuid, uuid) IS 'What a backup has to read.';
GRANT EXECUTE ON FUNCTION jobs.open_consistent_read(uuid, uuid) TO hub_worker;
