BEGIN;
SELECT plan(6);

CREATE FUNCTION pg_temp.age(VARIADIC p_minutes numeric[]) RETURNS timestamptz[] LANGUAGE sql AS $$
    SELECT coalesce(array_agg(clock_timestamp() - make_interval(secs => m * 60) ORDER BY m DESC), '{}')
    FROM unnest(p_minutes) AS m;
$$;

SELECT hub._lock_attempts(sha256('a'), '192.0.2.1');
SELECT hub._lock_attempts(sha256('b'), '192.0.2.2');
SELECT is(hub._add_attempt(sha256('a'), '192.0.2.1'), 0, 'the first');
SELECT is(hub._add_attempt(sha256('a'), '192.0.2.1'), 1, 'the second');
SELECT results_eq(
    $$SELECT cardinality(a.times) FROM hub_store.sign_in_attempt AS a ORDER BY 1$$, $$VALUES (0), (0), (0), (2), (2), (2)$$,
    'it is added to its own three counts');
UPDATE hub_store.sign_in_attempt SET times = pg_temp.age(16, 15.1, 14.9, 3) WHERE account = sha256('a') AND address = '';
SELECT is(hub._add_attempt(sha256('a'), '192.0.2.1'), 2, 'what is over is forgotten');
SELECT is(
    (SELECT max(hub._add_attempt(sha256('a'), '192.0.2.1')) FROM generate_series(1, 40)), 29, 'thirty are kept');
SELECT is(
    (SELECT a.times FROM hub_store.sign_in_attempt AS a WHERE a.account = sha256('a') AND a.address = ''),
    (SELECT array_agg(t.time ORDER BY t.time)
     FROM hub_store.sign_in_attempt AS a, unnest(a.times) AS t (time) WHERE a.account = sha256('a') AND a.address = ''),
    'in their order');

SELECT * FROM finish();
ROLLBACK;
