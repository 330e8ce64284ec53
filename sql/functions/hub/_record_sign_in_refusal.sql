-- Remembers that a sign-in was refused, by the known user's id or none: what was typed is not kept. About
-- 500 are kept of any hour, so that strangers cannot fill the table.
-- Raises: nothing.
-- Locks: none (insert only).
-- Callers: hub.charge_sign_in, hub.refuse_sign_in.
CREATE OR REPLACE FUNCTION hub._record_sign_in_refusal(p_event text, p_email text, p_address text)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_hour_ago timestamptz := clock_timestamp() - interval '1 hour';
BEGIN
    INSERT INTO hub_store.sign_in_refusal (event, user_id, address)
    SELECT p_event, (SELECT u.id FROM hub_store.app_user AS u WHERE u.email = hub._normalise_email(p_email)), p_address
    WHERE (
        SELECT count(*)
        FROM (SELECT FROM hub_store.sign_in_refusal AS r WHERE r.at > v_hour_ago LIMIT 500) AS l) < 500;
END;
$$;

COMMENT ON FUNCTION hub._record_sign_in_refusal(text, text, text) IS 'Remembers that a sign-in was refused.';
