BEGIN;
SELECT plan(3);

INSERT INTO hub_store.app_user (id, email, name, password_hash, enabled)
VALUES (md5('ada')::uuid, 'ada@example.org', 'Ada', 'x', true), (md5('gone')::uuid, 'gone@example.org', 'Gone', 'x', false);

UPDATE jobs_store.setting SET value = 64 WHERE name = 'IPv6PrefixLength';
SELECT is(concat_ws(' ', r.outcome, r.detail, r.body), 'credentials', 'known or not, the answer is the same')
FROM (VALUES ('ada@example.org'), ('nobody@example.org')) AS v (email)
CROSS JOIN LATERAL hub.refuse_sign_in(v.email, '2001:db8::1') AS r;
SELECT results_eq(
    $$SELECT r.event, r.user_id, r.address FROM hub_store.sign_in_refusal AS r ORDER BY r.id$$,
    $$VALUES ('sign_in.failed', md5('ada')::uuid, '2001:db8::'), ('sign_in.failed', NULL, '2001:db8::')$$,
    'it is remembered by the address as it is counted');

SELECT * FROM finish();
ROLLBACK;
