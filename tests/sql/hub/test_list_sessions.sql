BEGIN;
SELECT plan(4);

INSERT INTO hub_store.app_user (id, email, name, password_hash, enabled)
VALUES (md5('ada')::uuid, 'ada@example.org', 'Ada', 'x', true), (md5('gone')::uuid, 'gone@example.org', 'Gone', 'x', false);

INSERT INTO hub_store.session (id, token_hash, user_id, created_at, last_seen_at, address)
VALUES (md5('1')::uuid, sha256('1'), md5('ada')::uuid, now() - interval '2 hours', now(), '192.0.2.1'),
    (md5('2')::uuid, sha256('2'), md5('ada')::uuid, now(), now(), NULL),
    (md5('3')::uuid, sha256('3'), md5('ada')::uuid, now(), now() - interval '31 minutes', '192.0.2.1'),
    (md5('4')::uuid, sha256('4'), md5('gone')::uuid, now(), now(), NULL);
SELECT is(
    l.body::jsonb, jsonb_build_object('sessions', jsonb_build_array(
        jsonb_build_object('id', md5('2')::uuid, 'created_at', hub._utc(now()), 'last_seen_at', hub._utc(now()),
            'address', NULL),
        jsonb_build_object('id', md5('1')::uuid, 'created_at', hub._utc(now() - interval '2 hours'),
            'last_seen_at', hub._utc(now()), 'address', '192.0.2.1'))),
    'live sessions, newest first, and nothing of their tokens')
FROM hub.list_sessions(' ADA@example.org') AS l;
SELECT is(concat_ws(' ', l.outcome, l.detail), 'ok', 'a user has sessions') FROM hub.list_sessions('ada@example.org') AS l;
DELETE FROM hub_store.session;
SELECT is(l.body, '{"sessions": []}', 'or none') FROM hub.list_sessions('ada@example.org') AS l;
SELECT is(concat_ws(' ', l.outcome, l.detail, l.body), 'not_found', 'nobody has neither')
FROM hub.list_sessions('nobody@example.org') AS l;

SELECT * FROM finish();
ROLLBACK;
