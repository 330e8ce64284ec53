-- The defaults of the caller's role that this session lacks: time limits that are off, a time zone that is not
-- UTC. sql/roles.sql sets them; a role may change its own, and a pooler may set others.
-- Answers: one row for each, none where all is well.
-- Raises: nothing.
-- Locks: none.
-- Callers: the API and the worker, before they serve.
CREATE OR REPLACE FUNCTION jobs.list_missing_limits()
RETURNS TABLE (setting text)
LANGUAGE sql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT s.name
    FROM pg_settings AS s
    WHERE s.name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') AND s.setting = '0'
        OR s.name = 'TimeZone' AND s.setting <> 'UTC'
    ORDER BY s.name;
$$;

COMMENT ON FUNCTION jobs.list_missing_limits() IS 'The defaults of the role that this session lacks.';
GRANT EXECUTE ON FUNCTION jobs.list_missing_limits() TO hub_api, hub_worker;
