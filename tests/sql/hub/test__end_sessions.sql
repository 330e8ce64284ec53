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

INSERT INTO hub_store.session (token_hash, user_id) VALUES (sha256('another'), md5('reader')::uuid);
SELECT is(
    hub._end_sessions(md5('reader')::uuid, (SELECT id FROM hub_store.session WHERE token_hash = sha256('editor'))), 0,
    'one that is not his is not ended');
SELECT is(
    hub._end_sessions(md5('reader')::uuid, (SELECT id FROM hub_store.session WHERE token_hash = sha256('another'))), 1,
    'one of his is');
INSERT INTO hub_store.session (token_hash, user_id) VALUES (sha256('another'), md5('reader')::uuid);
SELECT is(hub._end_sessions(md5('reader')::uuid), 2, 'it ends the sessions of a user');
SELECT is_empty($$SELECT FROM hub_store.session WHERE user_id = md5('reader')::uuid$$, 'all of them');
SELECT isnt_empty($$SELECT FROM hub_store.session WHERE user_id = md5('editor')::uuid$$, 'and no other');

SELECT * FROM finish();
ROLLBACK;
