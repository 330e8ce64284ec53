-- The setting a worker starts with: how many jobs it runs at a time.
-- Raises: nothing.
-- Locks: none.
-- Callers: the worker.
CREATE OR REPLACE FUNCTION jobs.read_worker_settings()
RETURNS TABLE (concurrency integer)
LANGUAGE sql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jobs._setting('WorkerConcurrency');
$$;

COMMENT ON FUNCTION jobs.read_worker_settings() IS 'The settings a worker starts with.';
GRANT EXECUTE ON FUNCTION jobs.read_worker_settings() TO hub_worker;
