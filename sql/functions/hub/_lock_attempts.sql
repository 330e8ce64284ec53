-- Makes and locks the three counts that a sign-in to an account from an address belongs to, always in the
-- order address, both, account.
-- Raises: 55P03 when a lock is not had in time.
-- Locks: the three attempts.
-- Callers: hub.charge_sign_in.
CREATE OR REPLACE FUNCTION hub._lock_attempts(p_account bytea, p_address text)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO hub_store.sign_in_attempt AS a (address) VALUES (p_address)
    ON CONFLICT ON CONSTRAINT sign_in_attempt_is_unique DO UPDATE SET address = a.address;
    INSERT INTO hub_store.sign_in_attempt AS a (account, address) VALUES (p_account, p_address)
    ON CONFLICT ON CONSTRAINT sign_in_attempt_is_unique DO UPDATE SET address = a.address;
    INSERT INTO hub_store.sign_in_attempt AS a (account) VALUES (p_account)
    ON CONFLICT ON CONSTRAINT sign_in_attempt_is_unique DO UPDATE SET address = a.address;
END;
$$;

COMMENT ON FUNCTION hub._lock_attempts(bytea, text) IS 'Locks the counts that a sign-in belongs to.';
