BEGIN;
SELECT plan(3);

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
    jsonb_build_array(d.outcome, d.detail, d.body::jsonb),
    jsonb_build_array('ok', NULL, jsonb_build_object(
        'user', jsonb_build_object('id', md5('lapsed')::uuid, 'name', 'Lapsed',
            'email', 'lapsed@example.org'),
        'workspaces', jsonb_build_array(
            jsonb_build_object(
                'id', md5('Here')::uuid, 'title', 'Here', 'role', 'administrator', 'enabled', false)))),
    'the user and the workspaces, disabled memberships too')
FROM hub.describe_session(sha256('lapsed')) AS d;
SELECT is(concat_ws(' ', d.outcome, d.detail, d.body), 'unauthenticated', v.who || ' has no session')
FROM (VALUES ('gone'), ('nobody')) AS v (who)
CROSS JOIN LATERAL hub.describe_session(sha256(v.who::bytea)) AS d;

SELECT * FROM finish();
ROLLBACK;
