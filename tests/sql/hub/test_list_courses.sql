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

SELECT is(
    jsonb_build_array(l.outcome, l.detail, l.body::jsonb),
    '["ok", null, {"courses": [], "next_cursor": null}]'::jsonb,
    'a workspace may have no course')
FROM hub.list_courses(sha256('reader'), md5('Here')::uuid) AS l;
INSERT INTO hub_store.course (id, workspace_id, position, title) VALUES
    (md5('Late')::uuid, md5('Here')::uuid, 20, 'Late'),
    (md5('Early')::uuid, md5('Here')::uuid, 3, 'Early'),
    (md5('Foreign')::uuid, md5('There')::uuid, 1, 'Foreign');
INSERT INTO hub_store.page (course_id, position, title, content)
SELECT md5('Late')::uuid, i, '', '' FROM generate_series(1, 3) AS i;
SELECT is(
    l.body::jsonb,
    jsonb_build_object('next_cursor', NULL, 'courses', jsonb_build_array(
        jsonb_build_object('id', md5('Early')::uuid, 'title', 'Early', 'page_count', 0),
        jsonb_build_object('id', md5('Late')::uuid, 'title', 'Late', 'page_count', 3))),
    'its courses in their order, with their numbers of pages, and no others')
FROM hub.list_courses(sha256('reader'), md5('Here')::uuid) AS l;

SELECT is(
    concat_ws(' ', f.outcome, f.detail, f.body), v.expected, v.who || ' in ' || v.place || ': ' || v.expected)
FROM (VALUES
    ('nobody', 'Here', 'unauthenticated'),
    ('gone', 'Here', 'unauthenticated'),
    ('stranger', 'Here', 'not_found'),
    ('administrator', 'There', 'not_found'),
    ('administrator', 'nowhere', 'not_found'),
    ('lapsed', 'Here', 'not_member')) AS v (who, place, expected)
CROSS JOIN LATERAL hub.list_courses(sha256(v.who::bytea), md5(v.place)::uuid) AS f;

SELECT * FROM finish();
ROLLBACK;
