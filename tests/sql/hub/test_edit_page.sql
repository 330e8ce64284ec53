BEGIN;
SELECT plan(26);

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

CREATE TEMPORARY TABLE answer AS
SELECT e.outcome, e.detail, e.body::jsonb AS body
FROM hub.edit_page(
    sha256('editor'), md5('Here')::uuid, md5('a page')::uuid, md5('its etag')::uuid::text,
    '{"title": " New ", "content": "é\r\n", "tags": [" x ", "X", "y"]}') AS e;
SELECT is(a.outcome, 'ok', 'a page that is still the known one is replaced') FROM answer AS a;
SELECT results_eq(
    $$SELECT title, content, tags, course_id, position FROM hub_store.page WHERE id = md5('a page')::uuid$$,
    $$VALUES (' New ', E'é\r\n', ARRAY['x', 'y'], md5('First')::uuid, 1)$$,
    'title and content as given, tags normalised, its place as it was');
SELECT is(
    a.body,
    (SELECT r.body::jsonb FROM hub.read_page(sha256('editor'), md5('Here')::uuid, md5('a page')::uuid) AS r),
    'the answer is the page')
FROM answer AS a;
SELECT is(a.detail, jsonb_build_object('etag', a.body ->> 'etag'), 'with its etag') FROM answer AS a;
SELECT isnt(a.body ->> 'etag', md5('its etag')::uuid::text, 'which is a new one') FROM answer AS a;
SELECT ok(updated_at > clock_timestamp() - interval '1 minute', 'and the time is now')
FROM hub_store.page
WHERE id = md5('a page')::uuid;
SELECT isnt(e.detail, a.detail, 'the same values once more give another etag, too')
FROM answer AS a
CROSS JOIN LATERAL hub.edit_page(
    sha256('administrator'), md5('Here')::uuid, md5('a page')::uuid, a.body ->> 'etag',
    '{"title": " New ", "content": "é\r\n", "tags": ["x", "y"]}') AS e;
SELECT is(
    concat_ws(' ', e.outcome, e.detail),
    text 'version_mismatch ' || (
        SELECT jsonb_build_object('etag', etag) FROM hub_store.page WHERE id = md5('a page')::uuid),
    'a page that is another by now is not replaced; its etag is told')
FROM answer AS a
CROSS JOIN LATERAL hub.edit_page(
    sha256('editor'), md5('Here')::uuid, md5('a page')::uuid, a.body ->> 'etag',
    '{"title": "Lost", "content": "", "tags": []}') AS e;
SELECT is(e.outcome, 'version_mismatch', 'nor for ' || coalesce('etag ' || v.etag, 'no etag'))
FROM (VALUES
    (''), ('x'), (NULL), ('**'),
    (upper((SELECT etag::text FROM hub_store.page WHERE id = md5('a page')::uuid)))) AS v (etag)
CROSS JOIN LATERAL hub.edit_page(
    sha256('editor'), md5('Here')::uuid, md5('a page')::uuid, v.etag,
    '{"title": "Lost", "content": "", "tags": []}') AS e;
SELECT is(
    concat_ws(' ', e.outcome, e.body, e.detail),
    'invalid {"errors": [{"message": "is not known here; leave it out", "pointer": "/etag"}, '
    '{"message": "a tag is a string", "pointer": "/tags/0"}]}',
    'a wrong body is told before the etag is looked at')
FROM hub.edit_page(
    sha256('editor'), md5('Here')::uuid, md5('a page')::uuid, 'x',
    '{"title": "Lost", "content": "", "tags": [1], "etag": 1}') AS e;
SELECT is(
    (SELECT title FROM hub_store.page WHERE id = md5('a page')::uuid), ' New ',
    'none of these changed the page');
SELECT is(e.outcome || ' ' || (e.body::jsonb ->> 'title'), 'ok Any', '* stands for any etag')
FROM hub.edit_page(
    sha256('editor'), md5('Here')::uuid, md5('a page')::uuid, '*',
    '{"title": "Any", "content": "", "tags": []}') AS e;
SELECT is(concat_ws(' ', e.outcome, e.detail, e.body), 'not_found', v.page || ' is no page of this workspace')
FROM (VALUES ('foreign page'), ('nothing')) AS v (page)
CROSS JOIN LATERAL hub.edit_page(sha256('editor'), md5('Here')::uuid, md5(v.page)::uuid, '*', '[]') AS e;

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
CROSS JOIN LATERAL hub.edit_page(
    sha256(v.who::bytea), md5(v.place)::uuid, md5('a page')::uuid, '*', '[]') AS f;

SELECT results_eq(
    $$SELECT title FROM hub_store.page
      WHERE id IN (md5('a page')::uuid, md5('foreign page')::uuid) ORDER BY title$$,
    $$VALUES ('Any'), ('Foreign')$$, 'refusals change nothing');

SELECT * FROM finish();
ROLLBACK;
