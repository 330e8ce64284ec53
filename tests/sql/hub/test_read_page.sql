BEGIN;
SELECT plan(10);

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
INSERT INTO hub_store.course (id, workspace_id, position, title) VALUES
    (md5('First')::uuid, md5('Here')::uuid, 1, 'First'),
    (md5('Foreign')::uuid, md5('There')::uuid, 1, 'Foreign');
INSERT INTO hub_store.page (id, course_id, position, title, content, tags, etag, updated_at) VALUES
    (md5('a page')::uuid, md5('First')::uuid, 1, 'Über "α"', E'# One\r\n', '{Old,tag two}',
     md5('its etag')::uuid, '2026-01-02 03:04:05.678+00'),
    (md5('foreign page')::uuid, md5('Foreign')::uuid, 1, 'Foreign', '', '{}', md5('its etag')::uuid, now());

SELECT is(
    jsonb_build_array(r.outcome, r.detail, r.body::jsonb),
    jsonb_build_array('ok', jsonb_build_object('etag', md5('its etag')::uuid), jsonb_build_object(
        'id', md5('a page')::uuid, 'course_id', md5('First')::uuid, 'title', 'Über "α"', 'tags',
        '["Old", "tag two"]'::jsonb,
        'etag', md5('its etag')::uuid, 'updated_at', '2026-01-02T03:04:05.678000Z', 'content', E'# One\r\n')),
    'a page with its content')
FROM hub.read_page(sha256('reader'), md5('Here')::uuid, md5('a page')::uuid) AS r;
SELECT is(concat_ws(' ', r.outcome, r.detail, r.body), 'not_found', v.page || ' is no page of this workspace')
FROM (VALUES ('foreign page'), ('nothing')) AS v (page)
CROSS JOIN LATERAL hub.read_page(sha256('administrator'), md5('Here')::uuid, md5(v.page)::uuid) AS r;
SELECT is_empty($$SELECT FROM hub_store.membership WHERE xmax <> '0'$$, 'reading locks nothing');

SELECT is(
    concat_ws(' ', f.outcome, f.detail, f.body), v.expected, v.who || ' in ' || v.place || ': ' || v.expected)
FROM (VALUES
    ('nobody', 'Here', 'unauthenticated'),
    ('gone', 'Here', 'unauthenticated'),
    ('stranger', 'Here', 'not_found'),
    ('administrator', 'There', 'not_found'),
    ('administrator', 'nowhere', 'not_found'),
    ('lapsed', 'Here', 'not_member')) AS v (who, place, expected)
CROSS JOIN LATERAL hub.read_page(sha256(v.who::bytea), md5(v.place)::uuid, md5('a page')::uuid) AS f;

SELECT * FROM finish();
ROLLBACK;
