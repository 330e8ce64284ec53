BEGIN;
SELECT plan(13);

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

INSERT INTO hub_store.membership (workspace_id, user_id, role)
VALUES (md5('There')::uuid, md5('editor')::uuid, 'reader');
SELECT is(
    concat_ws(' ', s.outcome, s.body, s.detail), text 'ok ' || jsonb_build_object('id', md5('editor')::uuid),
    'a user is disabled')
FROM hub.set_user_enabled('EDITOR@example.org ', false) AS s;
SELECT ok(NOT enabled, 'he is') FROM hub_store.app_user WHERE id = md5('editor')::uuid;
SELECT is_empty(
    $$SELECT FROM hub_store.session WHERE user_id = md5('editor')::uuid$$, 'his sessions are over');
SELECT isnt_empty($$SELECT FROM hub_store.session WHERE user_id = md5('reader')::uuid$$, 'nobody else''s');
SELECT results_eq(
    $$SELECT user_id FROM hub_store.membership WHERE xmax = pg_current_xact_id()::xid$$,
    $$VALUES (md5('editor')::uuid), (md5('editor')::uuid)$$,
    'every membership of his is locked, and no other');
SELECT is(s.outcome, 'ok', 'once more is no fault')
FROM hub.set_user_enabled('editor@example.org', false) AS s;
INSERT INTO hub_store.session (token_hash, user_id) VALUES (sha256('kept'), md5('reader')::uuid);
SELECT is(
    concat_ws(' ', s.outcome, s.body, s.detail), text 'ok ' || jsonb_build_object('id', md5('editor')::uuid),
    'a user is enabled')
FROM hub.set_user_enabled('editor@example.org', true) AS s;
SELECT ok(enabled, 'he is') FROM hub_store.app_user WHERE id = md5('editor')::uuid;
SELECT is(s.outcome, 'ok', 'so is one who was so already')
FROM hub.set_user_enabled('reader@example.org', true) AS s;
SELECT is(hub._live_session(sha256('kept')), md5('reader')::uuid, 'whose sessions go on');
SELECT is(concat_ws(' ', s.outcome, s.detail, s.body), 'not_found', 'an unknown address')
FROM hub.set_user_enabled('nobody@example.org', false) AS s;
SELECT isnt_empty($$SELECT FROM jobs_store.audit_event AS a WHERE a.event = 'user.disabled'$$, 'U1: disabling');
SELECT results_eq(
    $$SELECT a.detail #>> '{user,name}' FROM jobs_store.audit_event AS a WHERE a.event = 'user.enabled'$$,
    $$VALUES ('Editor')$$, 'U1: and enabling are on the trail, where they changed anything');

SELECT * FROM finish();
ROLLBACK;
