-- Counts one sign-in that is about to be verified as if it had failed; hub.open_session takes it back.
-- Called and committed on its own before the verification, so that attempts at once are counted one after
-- another, and none is verified beyond the limits. Whether there is such a user makes no difference.
-- Who is refused already costs one read; his refusal is recorded at most once a minute.
-- Answers: ok (detail {"delay_ms"}: how long to wait first, for the attempts on the account from anywhere);
--   login_throttled (detail {"retry_after"}: seconds until a place frees).
-- Raises: KH500 outside READ COMMITTED; 22P02 for what is no address.
-- Locks: the attempts of the address, of both, of the account, in this order.
-- Callers: the API.
CREATE OR REPLACE FUNCTION hub.charge_sign_in(p_email text, p_address text)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_account bytea := hub._account_key(p_email);
    v_address text := jobs._address_bucket(p_address);
    v_before integer;
    v_wait record;
BEGIN
    PERFORM hub._require_read_committed();
    SELECT w.account, w.retry_after INTO v_wait FROM hub._sign_in_wait(v_account, v_address) AS w;
    IF NOT FOUND THEN
        PERFORM hub._lock_attempts(v_account, v_address);
        SELECT w.account, w.retry_after INTO v_wait FROM hub._sign_in_wait(v_account, v_address) AS w;
    END IF;
    IF v_wait.account IS NULL THEN
        v_before := hub._add_attempt(v_account, v_address);
        outcome := 'ok';
        detail := jsonb_build_object('delay_ms', least(2000, 200 * greatest(0, v_before - 5)));
    ELSE
        UPDATE hub_store.sign_in_attempt AS a
        SET told_at = clock_timestamp()
        WHERE a.account = v_wait.account AND a.address = v_address
            AND (a.told_at IS NULL OR a.told_at < clock_timestamp() - interval '1 minute');
        IF FOUND THEN
            PERFORM hub._record_sign_in_refusal('sign_in.throttled', p_email, v_address);
        END IF;
        outcome := 'login_throttled';
        detail := jsonb_build_object('retry_after', v_wait.retry_after);
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub.charge_sign_in(text, text) IS 'Counts one sign-in that is about to be verified.';
GRANT EXECUTE ON FUNCTION hub.charge_sign_in(text, text) TO hub_api;
