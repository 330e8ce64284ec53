-- The version of the schema that these functions belong to; raised with each migration that the programs
-- need. A program that needs a newer one is not ready.
-- Raises: nothing.
-- Locks: none.
-- Callers: the API, the worker.
CREATE OR REPLACE FUNCTION jobs.schema_version()
RETURNS integer
LANGUAGE sql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT 3;
$$;

COMMENT ON FUNCTION jobs.schema_version() IS 'The version of the schema that these functions belong to.';
GRANT EXECUTE ON FUNCTION jobs.schema_version() TO hub_api, hub_worker;
