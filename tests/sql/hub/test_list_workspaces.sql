BEGIN;
SELECT plan(4);

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
    jsonb_build_array(l.outcome, l.detail, l.body::jsonb),
    jsonb_build_array('ok', NULL, jsonb_build_object(
        'workspaces', hub._list_workspaces_of(md5('reader')::uuid), 'next_cursor', NULL)),
    'the workspaces the caller belongs to')
FROM hub.list_workspaces(sha256('reader')) AS l;
SELECT is(
    l.body::jsonb -> 'workspaces' -> 0 ->> 'title', 'There', 'and no others')
FROM hub.list_workspaces(sha256('stranger')) AS l;
SELECT is(concat_ws(' ', l.outcome, l.detail, l.body), 'unauthenticated', v.who || ' has no session')
FROM (VALUES ('gone'), ('nobody')) AS v (who)
CROSS JOIN LATERAL hub.list_workspaces(sha256(v.who::bytea)) AS l;

SELECT * FROM finish();
ROLLBACK;
