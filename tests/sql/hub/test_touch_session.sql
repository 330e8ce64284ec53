BEGIN;
SELECT plan(9);

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

UPDATE hub_store.session
SET last_seen_at = clock_timestamp() - v.idle::interval, created_at = clock_timestamp() - v.age::interval
FROM (VALUES
    ('administrator', '59 seconds', '1 hour'), ('editor', '61 seconds', '11 hours'),
    ('reader', '30 minutes', '1 hour'),
    ('stranger', '2 minutes', '12 hours'), ('gone', '2 minutes', '1 hour')) AS v (who, idle, age)
WHERE token_hash = sha256(v.who::bytea);
SELECT lives_ok(
    $$SELECT hub.touch_session(sha256(n.name::bytea))
      FROM unnest(ARRAY['administrator', 'editor', 'reader', 'stranger', 'gone', 'nobody']) AS n (name)$$,
    'every session is touched, also where there is none');
SELECT is(
    clock_timestamp() - s.last_seen_at > v.least::interval, v.stays, v.claim)
FROM (VALUES
    ('administrator', '58 seconds', true, 'one seen within a minute is left alone'),
    ('editor', '50 seconds', false, 'one seen more than a minute ago is seen now'),
    ('reader', '29 minutes', true, 'one that was idle for too long is not revived'),
    ('stranger', '1 minute', true, 'nor one that is too old'),
    ('gone', '1 minute', true, 'nor one of a disabled user')) AS v (who, least, stays, claim)
JOIN hub_store.session AS s ON s.token_hash = sha256(v.who::bytea);
SELECT is(hub._live_session(sha256('reader')), NULL, 'what was over stays over');
INSERT INTO hub_store.session (token_hash, user_id) VALUES (sha256('fresh'), md5('reader')::uuid);
SELECT lives_ok($$SELECT hub.touch_session(sha256('fresh'))$$, 'a session that has just begun is touched');
SELECT is_empty(
    $$SELECT FROM hub_store.session WHERE token_hash = sha256('fresh') AND xmax <> '0'$$,
    'without taking its lock');

SELECT * FROM finish();
ROLLBACK;
