BEGIN;
SELECT plan(2);

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

INSERT INTO hub_store.workspace (id, title) VALUES (md5('a third')::uuid, 'a third');
INSERT INTO hub_store.membership (workspace_id, user_id, role)
VALUES (md5('a third')::uuid, md5('lapsed')::uuid, 'reader');
SELECT is(
    hub._list_workspaces_of(md5('lapsed')::uuid),
    jsonb_build_array(
        jsonb_build_object('id', md5('a third')::uuid, 'title', 'a third', 'role', 'reader', 'enabled', true),
        jsonb_build_object(
            'id', md5('Here')::uuid, 'title', 'Here', 'role', 'administrator', 'enabled', false)),
    'his workspaces by title in any case, disabled memberships too');
SELECT is(hub._list_workspaces_of(md5('nobody')::uuid), '[]'::jsonb, 'none for who belongs nowhere');

SELECT * FROM finish();
ROLLBACK;
