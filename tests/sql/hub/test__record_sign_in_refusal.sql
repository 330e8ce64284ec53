BEGIN;
SELECT plan(5);

INSERT INTO hub_store.app_user (id, email, name, password_hash, enabled)
VALUES (md5('ada')::uuid, 'ada@example.org', 'Ada', 'x', true), (md5('gone')::uuid, 'gone@example.org', 'Gone', 'x', false);

SELECT hub._record_sign_in_refusal('sign_in.failed', v.email, '192.0.2.1')
FROM (VALUES (' ADA@example.org '), ('gone@example.org'), ('hunter2')) AS v (email);
SELECT results_eq(
    $$SELECT r.event, r.user_id, r.address FROM hub_store.sign_in_refusal AS r ORDER BY r.id$$,
    $$VALUES ('sign_in.failed', md5('ada')::uuid, '192.0.2.1'), ('sign_in.failed', md5('gone')::uuid, '192.0.2.1'),
        ('sign_in.failed', NULL, '192.0.2.1')$$,
    'whose account it was is remembered, not what was typed');
SELECT hub._record_sign_in_refusal('sign_in.throttled', 'x', 'unknown') FROM generate_series(1, 500);
SELECT is((SELECT count(*) FROM hub_store.sign_in_refusal), 500::bigint, '500 of an hour are kept');
UPDATE hub_store.sign_in_refusal SET at = at - interval '1 hour' WHERE event = 'sign_in.failed';
SELECT hub._record_sign_in_refusal('sign_in.throttled', 'x', 'unknown') FROM generate_series(1, 5);
SELECT is((SELECT count(*) FROM hub_store.sign_in_refusal), 503::bigint, 'of any hour');
SELECT is(
    (SELECT count(*) FROM hub_store.sign_in_refusal WHERE address = 'unknown'), 500::bigint, 'whatever the address');
DELETE FROM hub_store.sign_in_refusal;
SELECT throws_ok($$SELECT hub._record_sign_in_refusal('else', 'x', 'y')$$, '23514', NULL, 'nothing else is kept here');

SELECT * FROM finish();
ROLLBACK;
