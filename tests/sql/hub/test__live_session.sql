BEGIN;
SELECT plan(7);

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

SELECT is(hub._live_session(sha256('reader')), md5('reader')::uuid, 'a live session is its user''s');
SELECT is(hub._live_session(sha256('nobody')), NULL, 'an unknown token is nobody''s');
SELECT is(hub._live_session(NULL), NULL, 'nor is no token');
SELECT is(hub._live_session(sha256('gone')), NULL, 'nor the session of a disabled user');
SELECT is(hub._live_session(sha256('stranger')), md5('stranger')::uuid, 'no membership is needed');
UPDATE hub_store.session SET last_seen_at = clock_timestamp() - interval '30 minutes'
WHERE token_hash = sha256('reader');
SELECT is(hub._live_session(sha256('reader')), NULL, 'a session is over when it was idle for 30 minutes');
UPDATE hub_store.session SET created_at = clock_timestamp() - interval '12 hours'
WHERE token_hash = sha256('editor');
SELECT is(hub._live_session(sha256('editor')), NULL, 'and 12 hours after its begin, idle or not');

SELECT * FROM finish();
ROLLBACK;
