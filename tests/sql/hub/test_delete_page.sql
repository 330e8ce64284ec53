BEGIN;
SELECT plan(18);

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
    concat_ws(' ', d.outcome, d.body, d.detail),
    text 'version_mismatch ' || jsonb_build_object('etag', md5('its etag')::uuid),
    'not for ' || coalesce('etag ' || v.etag, 'no etag'))
FROM (VALUES (''), ('x'), (NULL), (gen_random_uuid()::text)) AS v (etag)
CROSS JOIN LATERAL hub.delete_page(sha256('editor'), md5('Here')::uuid, md5('a page')::uuid, v.etag) AS d;
SELECT is(concat_ws(' ', d.outcome, d.detail, d.body), 'not_found', v.page || ' is no page of this workspace')
FROM (VALUES ('foreign page'), ('nothing')) AS v (page)
CROSS JOIN LATERAL hub.delete_page(sha256('editor'), md5('Here')::uuid, md5(v.page)::uuid, '*') AS d;
SELECT is(
    concat_ws(' ', f.outcome, f.detail, f.body), v.expected, v.who || ' in ' || v.place || ': ' || v.expected)
FROM (VALUES
    ('nobody', 'Here', 'unauthenticated'),
    ('gone', 'Here', 'unauthenticated'),
    ('stranger', 'Here', 'not_found'),
    ('administrator', 'There', 'not_found'),
    ('administrator', 'nowhere', 'not_found'),
    ('lapsed', 'Here', 'not_member'),
    ('reader', 'Here', 'not_editor')) AS v (who, place, expected)
CROSS JOIN LATERAL hub.delete_page(sha256(v.who::bytea), md5(v.place)::uuid, md5('a page')::uuid, '*') AS f;

SELECT is(
    (SELECT count(*) FROM hub_store.page
    WHERE id IN (md5('a page')::uuid, md5('foreign page')::uuid)), 2::bigint,
    'refusals delete nothing');
SELECT is(concat_ws(' ', d.outcome, d.detail, d.body), 'ok', 'a page that is still the known one is deleted')
FROM hub.delete_page(
    sha256('editor'), md5('Here')::uuid, md5('a page')::uuid, md5('its etag')::uuid::text) AS d;
SELECT is_empty($$SELECT FROM hub_store.page WHERE id = md5('a page')::uuid$$, 'it is gone');
SELECT is(d.outcome, 'not_found', 'then there is nothing to delete')
FROM hub.delete_page(sha256('editor'), md5('Here')::uuid, md5('a page')::uuid, '*') AS d;
SELECT is(d.outcome, 'ok', '* stands for any etag')
FROM hub.delete_page(sha256('stranger'), md5('There')::uuid, md5('foreign page')::uuid, '*') AS d;

SELECT * FROM finish();
ROLLBACK;
