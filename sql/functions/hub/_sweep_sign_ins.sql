-- Deletes at most 1,000 counts of attempts that are all over 15 minutes old, and at most 1,000 refusals of over
-- 30 days ago; the answer is how many.
-- Raises: nothing.
-- Locks: the attempts, the refusals (never waits).
-- Callers: jobs.sweep.
CREATE OR REPLACE FUNCTION hub._sweep_sign_ins()
RETURNS integer
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_now timestamptz := clock_timestamp();
    v_attempts integer;
    v_refusals integer;
BEGIN
    WITH ended AS MATERIALIZED (
        SELECT o.account, o.address
        FROM hub_store.sign_in_attempt AS o
        WHERE coalesce(o.times[cardinality(o.times)], '-infinity') <= v_now - interval '15 minutes'
        LIMIT 1000
        FOR NO KEY UPDATE SKIP LOCKED
    )
    DELETE FROM hub_store.sign_in_attempt AS a USING ended AS o WHERE a.account = o.account AND a.address = o.address;
    GET DIAGNOSTICS v_attempts = ROW_COUNT;
    WITH old AS MATERIALIZED (
        SELECT o.id
        FROM hub_store.sign_in_refusal AS o
        WHERE o.at <= v_now - interval '30 days'
        LIMIT 1000
        FOR NO KEY UPDATE SKIP LOCKED
    )
    DELETE FROM hub_store.sign_in_refusal AS r USING old AS o WHERE r.id = o.id;
    GET DIAGNOSTICS v_refusals = ROW_COUNT;
    RETURN v_attempts + v_refusals;
END;
$$;

COMMENT ON FUNCTION hub._sweep_sign_ins() IS 'Deletes what is over of attempts to sign in.';
