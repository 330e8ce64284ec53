BEGIN;
SELECT plan(21);

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

SELECT is(a.outcome, v.expected, v.who || ' in ' || v.place || ', right ' || v.wanted)
FROM (VALUES
    ('administrator', 'Here', 'read', 'ok'),
    ('administrator', 'Here', 'edit', 'ok'),
    ('administrator', 'Here', 'administer', 'ok'),
    ('editor', 'Here', 'read', 'ok'),
    ('editor', 'Here', 'edit', 'ok'),
    ('editor', 'Here', 'administer', 'not_administrator'),
    ('reader', 'Here', 'read', 'ok'),
    ('reader', 'Here', 'edit', 'not_editor'),
    ('reader', 'Here', 'administer', 'not_administrator'),
    ('lapsed', 'Here', 'read', 'not_member'),
    ('lapsed', 'Here', 'edit', 'not_member'),
    ('lapsed', 'Here', 'administer', 'not_administrator'),
    ('stranger', 'Here', 'read', 'not_found'),
    ('stranger', 'Here', 'administer', 'not_found'),
    ('stranger', 'nowhere', 'read', 'not_found'),
    ('gone', 'Here', 'read', 'unauthenticated'),
    ('nobody', 'Here', 'administer', 'unauthenticated')) AS v (who, place, wanted, expected)
CROSS JOIN LATERAL hub._access(sha256(v.who::bytea), md5(v.place)::uuid, v.wanted) AS a;
SELECT is(
    concat_ws(' ', a.user_id, a.user_name), md5('reader')::uuid || ' Reader',
    'it tells who is acting, also where he may not')
FROM hub._access(sha256('reader'), md5('Here')::uuid, 'administer') AS a;
SELECT is(num_nulls(a.user_id, a.user_name), 2, 'it tells nobody where there is no session')
FROM hub._access(sha256('gone'), md5('Here')::uuid, 'read') AS a;
SELECT throws_ok(
    $$SELECT hub._access(sha256('reader'), md5('Here')::uuid, 'rule')$$, '20000', NULL,
    'an unknown right is a mistake of the caller');

SELECT is_empty(
    $$SELECT FROM hub_store.membership WHERE xmax <> '0'$$, 'it locks nothing');

SELECT * FROM finish();
ROLLBACK;
