-- The setting a worker starts with: how many jobs it runs at a time. It is never more than a third of the
-- role's connections, less ten: a slot holds one, and three while it makes a backup; a worker needs a few beside.
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
    SELECT least(
        jobs._setting('WorkerConcurrency'),
        greatest(1, (coalesce(nullif(r.rolconnlimit, -1), current_setting('max_connections')::integer) - 10) / 3))
    FROM pg_roles AS r
    WHERE r.rolname = session_user;
$$;

COMMENT ON FUNCTION jobs.read_worker_settings() IS 'The settings a worker starts with.';
GRANT EXECUTE ON FUNCTION jobs.read_worker_settings() TO hub_worker;
