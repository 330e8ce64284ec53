-- Charges one request for a job to an effective address (canonical text, or `unknown`), before anything
-- else is decided on it: at most CreationsPerMinutePerAddress in any 60 seconds, counted under the
-- address's row lock on the database's clock. Called and committed on its own, so that a later refusal
-- gives nothing back.
-- Answers: ok; request_budget (detail {"retry_after"}: seconds until a place frees).
-- Raises: KH500 outside READ COMMITTED; 22P02 for what is no address.
-- Locks: the address.
-- Callers: the API.
CREATE OR REPLACE FUNCTION jobs.charge_request_budget(p_address text)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_address text := jobs._address_bucket(p_address);
    v_now timestamptz;
    v_most integer;
    v_times timestamptz[];
BEGIN
    PERFORM hub._require_read_committed();
    INSERT INTO jobs_store.request_budget AS b (address, times)
    VALUES (v_address, '{}')
    ON CONFLICT ON CONSTRAINT request_budget_has_address DO UPDATE SET address = b.address;
    v_now := clock_timestamp();
    v_most := jobs._setting('CreationsPerMinutePerAddress');
    SELECT ARRAY(
        SELECT t.time FROM unnest(b.times) AS t (time) WHERE t.time > v_now - interval '60 seconds' ORDER BY t.time)
    INTO v_times
    FROM jobs_store.request_budget AS b
    WHERE b.address = v_address;
    outcome := 'ok';
    IF cardinality(v_times) < v_most THEN
        UPDATE jobs_store.request_budget AS b SET times = v_times || v_now WHERE b.address = v_address;
    ELSE
        outcome := 'request_budget';
        detail := jsonb_build_object('retry_after', greatest(1, ceil(extract(
            epoch FROM v_times[cardinality(v_times) - v_most + 1] + interval '60 seconds' - v_now))));
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.charge_request_budget(text) IS 'Charges one request for a job to an address.';
GRANT EXECUTE ON FUNCTION jobs.charge_request_budget(text) TO hub_api;
