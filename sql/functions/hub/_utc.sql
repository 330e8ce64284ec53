-- A time as RFC 3339 text in UTC with microseconds, whatever the connection's time zone is.
-- Raises: nothing.
-- Locks: none.
-- Callers: functions that put a time into an answer.
-- Plain SQL, inlined into its callers' queries, so it pins no search_path; every name in it is full.
CREATE OR REPLACE FUNCTION hub._utc(p_time timestamptz)
RETURNS text
LANGUAGE sql
STABLE
AS $$
    SELECT pg_catalog.to_char(pg_catalog.timezone('UTC', p_time), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
$$;

COMMENT ON FUNCTION hub._utc(timestamptz) IS 'A time as RFC 3339 text in UTC; NULL stays NULL.';
