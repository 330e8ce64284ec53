BEGIN;
SELECT plan(25);

CREATE FUNCTION pg_temp.charge(p_address text DEFAULT 'a') RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', c.outcome, c.detail, c.body) FROM jobs.charge_request_budget(p_address) AS c;
$$;
CREATE FUNCTION pg_temp.age(VARIADIC p_seconds numeric[]) RETURNS timestamptz[] LANGUAGE sql AS $$
    SELECT array_agg(clock_timestamp() - make_interval(secs => s) ORDER BY s DESC) FROM unnest(p_seconds) AS s;
$$;
SELECT is(pg_temp.charge(), 'ok', 'request ' || n || ' of ten in a minute') FROM generate_series(1, 10) AS n;
CREATE TEMPORARY TABLE times ON COMMIT DROP AS SELECT b.times FROM jobs_store.request_budget AS b;
SELECT is(pg_temp.charge(), 'request_budget {"retry_after": 60}', 'the eleventh is refused');
SELECT is(pg_temp.charge(), 'request_budget {"retry_after": 60}', 'and the twelfth');
SELECT is(b.times, t.times, 'what it refuses is not counted') FROM jobs_store.request_budget AS b, times AS t;
SELECT is(pg_temp.charge('b'), 'ok', 'another address has its own budget');
SELECT is(pg_temp.charge('unknown'), 'ok', 'and the unknown one');

-- Any 60 seconds, not the minutes of the clock.
UPDATE jobs_store.request_budget AS b SET times = pg_temp.age(59, 58, 57, 56, 55, 54, 53, 52, 51, 50)
    WHERE b.address = 'a';
SELECT is(
    pg_temp.charge(), 'request_budget {"retry_after": 1}', 'ten at the end of one minute: no eleventh in the next');
UPDATE jobs_store.request_budget AS b SET times = pg_temp.age(60, 58, 57, 56, 55, 54, 53, 52, 51, 50)
    WHERE b.address = 'a';
SELECT is(pg_temp.charge(), 'ok', 'when the first is 60 seconds old, its place is free');
SELECT is(pg_temp.charge(), 'request_budget {"retry_after": 2}', 'and taken');
SELECT is(
    (SELECT cardinality(b.times) FROM jobs_store.request_budget AS b WHERE b.address = 'a'), 10,
        'older ones are forgotten');
UPDATE jobs_store.request_budget AS b SET times = pg_temp.age(600, 500, 61) WHERE b.address = 'a';
SELECT is(pg_temp.charge(), 'ok', 'after a rest');
SELECT is((SELECT cardinality(b.times) FROM jobs_store.request_budget AS b WHERE b.address = 'a'), 1, 'it begins anew');

-- A budget that was lowered.
UPDATE jobs_store.setting AS s SET value = 2 WHERE s.name = 'CreationsPerMinutePerAddress';
UPDATE jobs_store.request_budget AS b SET times = pg_temp.age(50, 40, 30, 20) WHERE b.address = 'a';
SELECT is(pg_temp.charge(), 'request_budget {"retry_after": 30}', 'a place is free when fewer than the limit remain');

UPDATE jobs_store.setting AS s SET value = 64 WHERE s.name = 'IPv6PrefixLength';
SELECT is(pg_temp.charge('2001:db8::' || n), 'ok', 'IPv6 address ' || n || ' of a network') FROM generate_series(1, 2) AS n;
SELECT is(pg_temp.charge('2001:db8::3'), 'request_budget {"retry_after": 60}', 'has the budget of the network');

SELECT * FROM finish();
ROLLBACK;
