BEGIN;
SELECT plan(5);

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

SELECT is(concat_ws(' ', e.outcome, e.detail, e.body), 'ok', 'a live session ends')
FROM hub.end_session(sha256('reader')) AS e;
SELECT is_empty($$SELECT FROM hub_store.session WHERE token_hash = sha256('reader')$$, 'it is gone');
SELECT isnt_empty($$SELECT FROM hub_store.session WHERE token_hash = sha256('editor')$$, 'the others stay');
SELECT is(concat_ws(' ', e.outcome, e.detail, e.body), 'unauthenticated', 'it cannot end twice')
FROM hub.end_session(sha256('reader')) AS e;
UPDATE hub_store.session SET last_seen_at = clock_timestamp() - interval '31 minutes'
WHERE token_hash = sha256('editor');
SELECT is(e.outcome, 'unauthenticated', 'nor after it was idle for too long')
FROM hub.end_session(sha256('editor')) AS e;

SELECT * FROM finish();
ROLLBACK;
