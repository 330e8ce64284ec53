BEGIN;
SELECT plan(20);

-- Everybody's id is the md5 of the name, everybody's session the sha256; "lapsed" is a disabled member of
-- "Here", "stranger" a member of "There" only, and "gone" a disabled user.
INSERT INTO hub_store.app_user (id, email, name, password_hash, enabled)
SELECT md5(n.name)::uuid, n.name || '@example.org', initcap(n.name), 'hash of ' || n.name, n.name <> 'gone'
FROM unnest(ARRAY['administrator', 'editor', 'reader', 'lapsed', 'stranger', 'gone']) AS n (name);
INSERT INTO hub_store.session (token_hash, user_id)
SELECT sha256(n.name::bytea), md5(n.name)::uuid
FROM unnest(ARRAY['administrator', 'editor', 'reader', 'lapsed', 'stranger', 'gone']) AS n (name);
INSERT INTO hub_store.workspace (id, title) VALUES (md5('Here')::uuid, 'Here'), (md5('There')::uuid, 'There');
INSERT INTO hub_store.membership (workspace_id, user_id, role, enabled)
SELECT md5(m.place)::uuid, md5(m.name)::uuid, m.role, m.enabled
FROM (VALUES
    ('Here', 'administrator', 'administrator', true),
    ('Here', 'editor', 'editor', true),
    ('Here', 'reader', 'reader', true),
    ('Here', 'lapsed', 'administrator', false),
    ('Here', 'gone', 'administrator', true),
    ('There', 'stranger', 'administrator', true)) AS m (place, name, role, enabled);

SELECT is(
    concat_ws(' ', o.outcome, o.detail), 'ok', 'a user whose hash is still the verified one gets a session')
FROM hub.open_session(md5('reader')::uuid, 'hash of reader', sha256('new')) AS o;
SELECT is(hub._live_session(sha256('new')), md5('reader')::uuid, 'it is live and his');
SELECT is(
    (SELECT o.body FROM hub.open_session(md5('reader')::uuid, 'hash of reader', sha256('newer')) AS o),
    (SELECT d.body FROM hub.describe_session(sha256('newer')) AS d),
    'the answer is that of describe_session');
SELECT is(
    (SELECT password_hash FROM hub_store.app_user WHERE id = md5('reader')::uuid), 'hash of reader',
    'the password hash stays where there is no new one');
SELECT is(o.outcome, 'ok', 'a new hash may be given')
FROM hub.open_session(md5('reader')::uuid, 'hash of reader', sha256('newest'), 'better hash') AS o;
SELECT is(
    (SELECT password_hash FROM hub_store.app_user
    WHERE id = md5('reader')::uuid), 'better hash', 'then it is kept');
SELECT is(hub._live_session(sha256('reader')), md5('reader')::uuid, 'his other sessions go on');

SELECT is(concat_ws(' ', o.outcome, o.detail, o.body), 'credentials', v.claim)
FROM (VALUES
    ('reader', 'hash of reader', 'a hash that was replaced meanwhile'),
    ('gone', 'hash of gone', 'a user who was disabled meanwhile'),
    ('nobody', 'hash of nobody', 'an unknown user'),
    ('editor', NULL, 'no hash')) AS v (who, hash, claim)
CROSS JOIN LATERAL hub.open_session(md5(v.who)::uuid, v.hash, sha256('refused'), 'stolen') AS o;
SELECT is_empty(
    $$SELECT FROM hub_store.session WHERE token_hash = sha256('refused')$$, 'a refusal makes no session');
SELECT is_empty($$SELECT FROM hub_store.app_user WHERE password_hash = 'stolen'$$, 'and keeps no hash');
SELECT throws_ok(
    $$SELECT hub.open_session(md5('editor')::uuid, 'hash of editor', 'too short')$$, '23514', NULL,
    'a token that is not hashed is a mistake of the caller');

SELECT hub._lock_attempts(hub._account_key('editor@example.org'), '192.0.2.1');
SELECT '#', hub._add_attempt(hub._account_key('editor@example.org'), '192.0.2.1') FROM generate_series(1, 2);
SELECT is(o.outcome, 'credentials', 'a refusal')
FROM hub.open_session(md5('editor')::uuid, 'x', sha256('from'), NULL, '192.0.2.1') AS o;
SELECT is((SELECT sum(cardinality(times)) FROM hub_store.sign_in_attempt), 6::bigint, 'forgives nothing');
SELECT is(o.outcome, 'ok', 'a sign-in is forgiven')
FROM hub.open_session(md5('editor')::uuid, 'hash of editor', sha256('from'), NULL, '192.0.2.1') AS o;
SELECT is((SELECT sum(cardinality(times)) FROM hub_store.sign_in_attempt), 3::bigint, 'itself, not those before');
SELECT is(
    (SELECT host(address) FROM hub_store.session WHERE token_hash = sha256('from')), '192.0.2.1',
    'from where it was opened is kept');
SELECT is(o.outcome, 'ok', 'the address may be unknown')
FROM hub.open_session(md5('editor')::uuid, 'hash of editor', sha256('unknown'), NULL, 'unknown') AS o;

SELECT * FROM finish();
ROLLBACK;
