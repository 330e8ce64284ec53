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
    concat_ws(' ', l.outcome, l.etag), text 'ok ' || md5('its etag')::uuid,
    'an editor may, and gets the etag')
FROM hub._lock_page(sha256('editor'), md5('Here')::uuid, md5('a page')::uuid) AS l;
SELECT results_eq(
    $$SELECT id FROM hub_store.page WHERE xmax = pg_current_xact_id()::xid$$, $$SELECT md5('a page')::uuid$$,
    'the page is locked, and no other');
SELECT results_eq(
    $$SELECT user_id FROM hub_store.membership WHERE xmax = pg_current_xact_id()::xid$$,
    $$SELECT md5('editor')::uuid$$,
    'and the membership');
SELECT is(l.outcome, 'ok', 'so may an administrator')
FROM hub._lock_page(sha256('administrator'), md5('Here')::uuid, md5('a page')::uuid) AS l;
SELECT is(concat_ws(' ', l.outcome, l.etag), 'not_found', v.page || ' is no page of this workspace')
FROM (VALUES ('foreign page'), ('nothing')) AS v (page)
CROSS JOIN LATERAL hub._lock_page(sha256('administrator'), md5('Here')::uuid, md5(v.page)::uuid) AS l;
SELECT is(concat_ws(' ', l.outcome, l.etag), v.expected, v.who || ' may not')
FROM (VALUES
    ('reader', 'not_editor'), ('lapsed', 'not_member'), ('stranger', 'not_found'),
    ('gone', 'unauthenticated'))
    AS v (who, expected)
CROSS JOIN LATERAL hub._lock_page(sha256(v.who::bytea), md5('Here')::uuid, md5('a page')::uuid) AS l;

SELECT * FROM finish();
ROLLBACK;
