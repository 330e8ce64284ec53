BEGIN;
SELECT plan(8);

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
    concat_ws(' ', s.outcome, s.body, s.detail), text 'ok ' || jsonb_build_object('id', md5('reader')::uuid),
    'a password is set')
FROM hub.set_password(' Reader@example.org', 'new hash') AS s;
SELECT results_eq(
    $$SELECT name FROM hub_store.app_user WHERE password_hash = 'new hash'$$,
    $$VALUES ('Reader')$$, 'for that user only');
SELECT is_empty(
    $$SELECT FROM hub_store.session WHERE user_id = md5('reader')::uuid$$, 'his sessions are over');
SELECT isnt_empty($$SELECT FROM hub_store.session WHERE user_id = md5('editor')::uuid$$, 'nobody else''s');
SELECT is(s.outcome, 'ok', 'a disabled user gets one, too')
FROM hub.set_password('gone@example.org', 'new hash') AS s;
SELECT ok(NOT enabled, 'and stays disabled') FROM hub_store.app_user WHERE id = md5('gone')::uuid;
SELECT is(concat_ws(' ', s.outcome, s.detail, s.body), 'not_found', 'an unknown address')
FROM hub.set_password('nobody@example.org', 'new hash') AS s;
SELECT results_eq(
    $$SELECT a.event, a.detail - 'user', a.detail #>> '{user,email}' FROM jobs_store.audit_event AS a ORDER BY a.id$$,
    $$VALUES ('user.password_changed', '{}'::jsonb, 'reader@example.org'),
        ('user.password_changed', '{}', 'gone@example.org')$$, 'U1: it is on the trail, without the hash');

SELECT * FROM finish();
ROLLBACK;
