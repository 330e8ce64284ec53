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

SELECT results_eq(
    $$SELECT user_id, password_hash FROM hub.find_credentials(E' Reader@EXAMPLE.org\n')$$,
    $$VALUES (md5('reader')::uuid, 'hash of reader')$$,
    'an enabled user is found by the address in any case, trimmed');
SELECT is_empty($$SELECT FROM hub.find_credentials('gone@example.org')$$, 'a disabled user is not');
SELECT is_empty($$SELECT FROM hub.find_credentials('nobody@example.org')$$, 'nor an unknown address');
SELECT is_empty($$SELECT FROM hub.find_credentials('reader@example.or')$$, 'nor a part of an address');
SELECT is_empty($$SELECT FROM hub.find_credentials(NULL)$$, 'nor no address');

SELECT * FROM finish();
ROLLBACK;
