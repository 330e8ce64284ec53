-- Takes back what hub.charge_sign_in counted for a sign-in that was right: one attempt of each count. The
-- others stay: whoever guesses cannot clear his count by signing in to an account of his own in between.
-- Raises: 22P02 for what is no address; 55P03 when a lock is not had in time.
-- Locks: the attempts of the address, of both, of the account, in this order.
-- Callers: hub.open_session.
CREATE OR REPLACE FUNCTION hub._forgive_sign_in(p_email text, p_address text)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_account bytea := hub._account_key(p_email);
    v_address text := jobs._address_bucket(p_address);
BEGIN
    UPDATE hub_store.sign_in_attempt AS a SET times = trim_array(a.times, least(1, cardinality(a.times)))
    WHERE a.account = '' AND a.address = v_address;
    UPDATE hub_store.sign_in_attempt AS a SET times = trim_array(a.times, least(1, cardinality(a.times)))
    WHERE a.account = v_account AND a.address = v_address;
    UPDATE hub_store.sign_in_attempt AS a SET times = trim_array(a.times, least(1, cardinality(a.times)))
    WHERE a.account = v_account AND a.address = '';
END;
$$;

COMMENT ON FUNCTION hub._forgive_sign_in(text, text) IS 'Takes back what a right sign-in was counted for.';
