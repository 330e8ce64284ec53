BEGIN;
SELECT plan(5);

CREATE FUNCTION pg_temp.age(VARIADIC p_minutes numeric[]) RETURNS timestamptz[] LANGUAGE sql AS $$
    SELECT coalesce(array_agg(clock_timestamp() - make_interval(secs => m * 60) ORDER BY m DESC), '{}')
    FROM unnest(p_minutes) AS m;
$$;

INSERT INTO hub_store.sign_in_attempt (address, times)
VALUES ('old', pg_temp.age(20, 15.1)), ('empty', '{}'), ('recent', pg_temp.age(20, 14.9));
INSERT INTO hub_store.sign_in_refusal (event, address, at)
VALUES ('sign_in.failed', 'old', clock_timestamp() - interval '30 days'),
    ('sign_in.failed', 'recent', clock_timestamp() - interval '29 days');
SELECT is(hub._sweep_sign_ins(), 3, 'it counts what was over');
SELECT results_eq(
    $$SELECT a.address FROM hub_store.sign_in_attempt AS a UNION ALL SELECT r.address FROM hub_store.sign_in_refusal AS r$$,
    $$VALUES ('recent'), ('recent')$$, 'which is gone');
SELECT is(hub._sweep_sign_ins(), 0, 'then there is nothing left to do');
SET LOCAL enable_hashjoin = off;
SET LOCAL enable_mergejoin = off;
INSERT INTO hub_store.sign_in_attempt (address) SELECT 'many' || n FROM generate_series(1, 1001) AS n;
INSERT INTO hub_store.sign_in_refusal (event, address, at)
SELECT 'sign_in.failed', 'x', clock_timestamp() - interval '31 days' FROM generate_series(1, 1001);
SELECT is(hub._sweep_sign_ins(), 2000, 'a call deletes a thousand of each at most, under bad plans, too');
SELECT is(hub._sweep_sign_ins(), 2, 'the rest is for the next');

SELECT * FROM finish();
ROLLBACK;
