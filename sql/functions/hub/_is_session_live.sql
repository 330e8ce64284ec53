-- Whether a session begun and last seen at these times is still good: seen within 30 minutes and begun
-- within 12 hours.
-- Raises: nothing.
-- Locks: none.
-- Callers: hub._live_session, hub._sweep_sessions, jobs.read_snapshots, hub.list_sessions.
-- Plain SQL, inlined into its callers' queries, so it pins no search_path; every name in it is full.
CREATE OR REPLACE FUNCTION hub._is_session_live(p_created_at timestamptz, p_last_seen_at timestamptz)
RETURNS boolean
LANGUAGE sql
VOLATILE
AS $$
    SELECT p_last_seen_at OPERATOR(pg_catalog.>)
               (pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) '30 minutes'::pg_catalog.interval)
       AND p_created_at OPERATOR(pg_catalog.>)
               (pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) '12 hours'::pg_catalog.interval)
$$;

COMMENT ON FUNCTION hub._is_session_live(timestamptz, timestamptz) IS 'Whether a session is still good.';
