-- Adds one attempt, now, to the three counts that the caller has locked, and forgets those that are over 15
-- minutes old; of an account from anywhere the last 30 are kept. The answer is how many of these there were.
-- Raises: nothing.
-- Locks: none but the caller's.
-- Callers: hub.charge_sign_in.
CREATE OR REPLACE FUNCTION hub._add_attempt(p_account bytea, p_address text)
RETURNS integer
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_now timestamptz := clock_timestamp();
    v_count integer;
BEGIN
    UPDATE hub_store.sign_in_attempt AS a
    SET times = ARRAY(
        SELECT t.time
        FROM (
            SELECT u.time
            FROM unnest(a.times) AS u (time)
            WHERE u.time > v_now - interval '15 minutes'
            ORDER BY u.time DESC
            LIMIT 29
        ) AS t
        ORDER BY t.time) || v_now
    WHERE (a.account, a.address) IN (('', p_address), (p_account, p_address), (p_account, ''));
    SELECT cardinality(a.times) - 1 INTO v_count
    FROM hub_store.sign_in_attempt AS a
    WHERE a.account = p_account AND a.address = '';
    RETURN v_count;
END;
$$;

COMMENT ON FUNCTION hub._add_attempt(bytea, text) IS 'Adds an attempt to its three counts.';
