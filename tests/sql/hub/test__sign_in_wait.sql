BEGIN;
SELECT plan(9);

CREATE FUNCTION pg_temp.age(VARIADIC p_minutes numeric[]) RETURNS timestamptz[] LANGUAGE sql AS $$
    SELECT coalesce(array_agg(clock_timestamp() - make_interval(secs => m * 60) ORDER BY m DESC), '{}')
    FROM unnest(p_minutes) AS m;
$$;

CREATE FUNCTION pg_temp.wait(p_account text, p_address text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', CASE WHEN w.account = '' THEN 'address' ELSE 'both' END, w.retry_after)
    FROM hub._sign_in_wait(sha256(p_account::bytea), p_address) AS w;
$$;
CREATE FUNCTION pg_temp.minutes(p_count integer, p_from numeric) RETURNS timestamptz[] LANGUAGE sql AS $$
    SELECT pg_temp.age(VARIADIC array_agg(p_from - n * 0.01)) FROM generate_series(0, p_count - 1) AS n;
$$;
SELECT is(pg_temp.wait('a', '192.0.2.1'), NULL, 'where nothing was tried there is room');
INSERT INTO hub_store.sign_in_attempt (account, address, times)
VALUES ('', '192.0.2.1', pg_temp.minutes(29, 14)), (sha256('a'), '192.0.2.1', pg_temp.minutes(9, 10)),
    (sha256('a'), '', pg_temp.minutes(30, 5));
SELECT is(pg_temp.wait('a', '192.0.2.1'), NULL, 'and below both limits, whatever the account has met elsewhere');
UPDATE hub_store.sign_in_attempt SET times = pg_temp.minutes(10, 10) WHERE account <> '' AND address <> '';
SELECT is(pg_temp.wait('a', '192.0.2.1'), 'both 300', 'ten of an account and an address: wait for the first to be old');
SELECT is(pg_temp.wait('b', '192.0.2.1'), NULL, 'another account is free');
SELECT is(pg_temp.wait('a', '192.0.2.2'), NULL, 'and so is another address');
UPDATE hub_store.sign_in_attempt SET times = pg_temp.minutes(30, 14) WHERE account = '';
SELECT is(pg_temp.wait('b', '192.0.2.1'), 'address 60', 'thirty of an address are enough for any account');
SELECT is(pg_temp.wait('a', '192.0.2.1'), 'both 300', 'the longer wait is told');
UPDATE hub_store.sign_in_attempt SET times = pg_temp.age(15.01) || pg_temp.minutes(9, 10)
WHERE account <> '' AND address <> '';
SELECT is(pg_temp.wait('a', '192.0.2.1'), 'address 60', 'after fifteen minutes an attempt is over');
DELETE FROM hub_store.sign_in_attempt WHERE account = '';
SELECT is(pg_temp.wait('a', '192.0.2.1'), NULL, 'and there is room');

SELECT * FROM finish();
ROLLBACK;
