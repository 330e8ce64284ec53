-- Ends a session for good.
-- Answers: ok, unauthenticated.
-- Raises: KH500 outside READ COMMITTED.
-- Locks: session.
-- Callers: the API.
CREATE OR REPLACE FUNCTION hub.end_session(p_session bytea)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM hub._require_read_committed();
    PERFORM FROM hub_store.session AS s WHERE s.token_hash = p_session FOR NO KEY UPDATE;
    IF hub._live_session(p_session) IS NULL THEN
        outcome := 'unauthenticated';
    ELSE
        DELETE FROM hub_store.session AS s WHERE s.token_hash = p_session;
        outcome := 'ok';
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub.end_session(bytea) IS 'Ends a session.';
GRANT EXECUTE ON FUNCTION hub.end_session(bytea) TO hub_api;
