-- The kinds that every worker can run, by jobs.advance.
-- Raises: nothing.
-- Locks: none.
-- Callers: the worker.
CREATE OR REPLACE FUNCTION jobs.list_sql_kinds()
RETURNS TABLE (kind text)
LANGUAGE sql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT k.name FROM jobs_store.kind AS k WHERE k.advance_function IS NOT NULL ORDER BY k.name;
$$;

COMMENT ON FUNCTION jobs.list_sql_kinds() IS 'The kinds that every worker can run with jobs.advance.';
GRANT EXECUTE ON FUNCTION jobs.list_sql_kinds() TO hub_worker;
