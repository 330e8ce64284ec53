-- Records that a live session is in use, at most once a minute; a session that is over stays over.
-- Raises: KH500 outside READ COMMITTED.
-- Locks: session (only when there is something to record).
-- Callers: the API, at every request of a session except polls and streams.
CREATE OR REPLACE FUNCTION hub.touch_session(p_session bytea)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM hub._require_read_committed();
    IF NOT EXISTS (
        SELECT
        FROM hub_store.session AS s
        WHERE s.token_hash = p_session AND s.last_seen_at <= clock_timestamp() - interval '1 minute')
    THEN
        RETURN;
    END IF;
    PERFORM FROM hub_store.session AS s WHERE s.token_hash = p_session FOR NO KEY UPDATE;
    IF hub._live_session(p_session) IS NOT NULL THEN
        UPDATE hub_store.session AS s SET last_seen_at = clock_timestamp() WHERE s.token_hash = p_session;
    END IF;
END;
$$;

COMMENT ON FUNCTION hub.touch_session(bytea) IS
    'Records that a live session is in use, at most once a minute.';
GRANT EXECUTE ON FUNCTION hub.touch_session(bytea) TO hub_api;
