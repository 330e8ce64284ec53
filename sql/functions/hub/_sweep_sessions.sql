-- Deletes at most 1,000 sessions that are over; the answer is how many.
-- Raises: nothing.
-- Locks: session (never waits).
-- Callers: jobs.sweep.
CREATE OR REPLACE FUNCTION hub._sweep_sessions()
RETURNS integer
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_sessions integer;
BEGIN
    WITH ended AS MATERIALIZED (
        SELECT o.token_hash
        FROM hub_store.session AS o
        WHERE NOT hub._is_session_live(o.created_at, o.last_seen_at)
        LIMIT 1000
        FOR NO KEY UPDATE SKIP LOCKED
    )
    DELETE FROM hub_store.session AS s USING ended AS e WHERE s.token_hash = e.token_hash;
    GET DIAGNOSTICS v_sessions = ROW_COUNT;
    RETURN v_sessions;
END;
$$;

COMMENT ON FUNCTION hub._sweep_sessions() IS 'Deletes sessions that are over.';
