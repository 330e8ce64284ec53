BEGIN;
SELECT plan(3);

SELECT lives_ok($$SELECT hub._lock_attempts(sha256('a'), '192.0.2.1')$$, 'three counts are made');
SELECT lives_ok($$SELECT hub._lock_attempts(sha256('a'), '192.0.2.1')$$, 'once');
SELECT bag_eq(
    $$SELECT a.account, a.address, a.times FROM hub_store.sign_in_attempt AS a$$,
    $$VALUES (''::bytea, '192.0.2.1', '{}'::timestamptz[]), (sha256('a'), '192.0.2.1', '{}'), (sha256('a'), '', '{}')$$,
    'of the address, of both, of the account');

SELECT * FROM finish();
ROLLBACK;
