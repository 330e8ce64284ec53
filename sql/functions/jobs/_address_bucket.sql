-- What an effective address (canonical text, or `unknown`) is counted as: an IPv6 address by its first
-- IPv6PrefixLength bits, for whoever has one has a network of them.
-- Raises: 22P02 for what has a colon and is no address.
-- Locks: none.
-- Callers: jobs.charge_request_budget, hub.charge_sign_in, hub._forgive_sign_in, hub.refuse_sign_in.
CREATE OR REPLACE FUNCTION jobs._address_bucket(p_address text)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF strpos(p_address, ':') = 0 THEN
        RETURN p_address;
    END IF;
    RETURN host(network(set_masklen(p_address::inet, jobs._setting('IPv6PrefixLength'))));
END;
$$;

COMMENT ON FUNCTION jobs._address_bucket(text) IS 'What an effective address is counted as.';
