BEGIN;
SELECT plan(12);

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

SELECT is(hub._is_administrator(md5(v.who)::uuid, md5(v.place)::uuid), v.expected, v.who || ' in ' || v.place)
FROM (VALUES
    ('administrator', 'Here', true), ('editor', 'Here', false), ('reader', 'Here', false),
    ('lapsed', 'Here', false), ('gone', 'Here', false), ('stranger', 'Here', false),
    ('stranger', 'There', true), ('administrator', 'There', false),
    ('nobody', 'Here', false), ('administrator', 'nowhere', false)) AS v (who, place, expected);
UPDATE hub_store.membership SET role = 'editor' WHERE user_id = md5('administrator')::uuid;
SELECT ok(
    NOT hub._is_administrator(md5('administrator')::uuid, md5('Here')::uuid),
    'no longer after he lost the role');
SELECT is_empty(
    $$SELECT FROM hub_store.membership WHERE user_id = md5('stranger')::uuid AND xmax <> '0'$$,
    'it locks nothing');

SELECT * FROM finish();
ROLLBACK;
