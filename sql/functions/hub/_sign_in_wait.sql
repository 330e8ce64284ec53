-- Whether one more sign-in to an account from an address has to wait, by what is committed now: the
-- subject whose limit is reached (30 attempts of an address, 10 of an account and an address, in any 15
-- minutes) and the seconds until a place frees; no row where there is room. An account alone is in no
-- limit: else strangers could lock its owner out.
-- VOLATILE: it must see what was committed before its own statement, not before the caller's.
-- Raises: nothing.
-- Locks: none.
-- Callers: hub.charge_sign_in.
CREATE OR REPLACE FUNCTION hub._sign_in_wait(p_account bytea, p_address text)
RETURNS TABLE (account bytea, retry_after integer)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_now timestamptz := clock_timestamp();
BEGIN
    RETURN QUERY
    SELECT a.account,
           greatest(1, ceil(extract(epoch FROM r.times[r.count - l.most + 1] + interval '15 minutes' - v_now)))::integer
    FROM (VALUES (''::bytea, 30), (p_account, 10)) AS l (account, most)
    JOIN hub_store.sign_in_attempt AS a ON a.account = l.account AND a.address = p_address,
    LATERAL (
        SELECT count(*)::integer, array_agg(t.time ORDER BY t.time)
        FROM unnest(a.times) AS t (time)
        WHERE t.time > v_now - interval '15 minutes') AS r (count, times)
    WHERE r.count >= l.most
    ORDER BY 2 DESC
    LIMIT 1;
END;
$$;

COMMENT ON FUNCTION hub._sign_in_wait(bytea, text) IS 'Which limit one more sign-in would break, if any.';
