BEGIN;
SELECT plan(3);

CREATE FUNCTION pg_temp.age(VARIADIC p_minutes numeric[]) RETURNS timestamptz[] LANGUAGE sql AS $$
    SELECT coalesce(array_agg(clock_timestamp() - make_interval(secs => m * 60) ORDER BY m DESC), '{}')
    FROM unnest(p_minutes) AS m;
$$;

INSERT INTO hub_store.sign_in_attempt (account, address, times)
VALUES ('', '192.0.2.1', pg_temp.age(3, 2, 1)), (sha256('a@b'), '192.0.2.1', pg_temp.age(2, 1)),
    (sha256('a@b'), '', '{}'), (sha256('c@d'), '192.0.2.1', pg_temp.age(1));
SELECT lives_ok($$SELECT hub._forgive_sign_in(' A@B', '192.0.2.1')$$, 'one attempt is taken back');
SELECT results_eq(
    $$SELECT cardinality(a.times) FROM hub_store.sign_in_attempt AS a ORDER BY a.account, a.address$$,
    $$SELECT v.count FROM (VALUES ('\x'::bytea, '192.0.2.1', 2), (sha256('a@b'), '', 0), (sha256('a@b'), '192.0.2.1', 1),
        (sha256('c@d'), '192.0.2.1', 1)) AS v (account, address, count) ORDER BY v.account, v.address$$,
    'of each of its counts, where there is one');
SELECT lives_ok($$SELECT hub._forgive_sign_in('nobody@example.org', 'unknown')$$, 'without counts it does nothing');

SELECT * FROM finish();
ROLLBACK;
