BEGIN;
SELECT plan(12);

INSERT INTO hub_store.workspace (id, title) VALUES (md5('Here')::uuid, 'Here');
INSERT INTO hub_store.course (id, workspace_id, position, title)
VALUES (md5('First')::uuid, md5('Here')::uuid, 1, 'First'),
    (md5('Second')::uuid, md5('Here')::uuid, 2, 'Second'),
    (md5('Third')::uuid, md5('Here')::uuid, 3, 'Third');
SELECT is(
    concat_ws(' ', a.outcome, a.body, a.detail),
    text 'ok ' || jsonb_build_object('id', md5('First')::uuid, 'added', 0),
    'no pages are no fault')
FROM hub.add_pages(md5('First')::uuid, '[]') AS a;
SELECT results_eq(
    $$SELECT id FROM hub_store.course WHERE xmax = pg_current_xact_id()::xid$$, $$SELECT md5('First')::uuid$$,
    'the course is locked, and no other');
INSERT INTO hub_store.page (course_id, position, title, content) VALUES (md5('Third')::uuid, 50, '', '');
SELECT is(
    concat_ws(' ', a.outcome, a.body, a.detail),
    text 'ok ' || jsonb_build_object('id', md5('First')::uuid, 'added', 3),
    'pages are added')
FROM hub.add_pages(md5('First')::uuid, '[
    {"title": "One", "content": " \u00e9\r\n", "tags": [" b ", "a", "B"]},
    {"title": "", "content": "", "tags": []},
    {"title": "One", "content": "3", "tags": []}]') AS a;
SELECT is(a.detail ->> 'added', '1', 'others later')
FROM hub.add_pages(md5('First')::uuid, '[{"title": "Four", "content": "4", "tags": []}]') AS a;
SELECT results_eq(
    $$SELECT position, title, content, tags FROM hub_store.page
      WHERE course_id = md5('First')::uuid ORDER BY position$$,
    $$VALUES
        (1, 'One', E' é\r\n', ARRAY['b', 'a']), (2, '', '', '{}'), (3, 'One', '3', '{}'),
        (4, 'Four', '4', '{}')$$,
    'in their order after the last one, contents as they are, tags normalised');
SELECT is(
    (SELECT count(DISTINCT etag) FROM hub_store.page WHERE course_id = md5('First')::uuid), 4::bigint,
    'each with an etag of its own');
SELECT is(
    concat_ws(' ', a.outcome, a.body, a.detail),
    text 'invalid ' || jsonb_build_object('errors', jsonb_build_array(
        hub._error('/1', 'send a JSON object with title, content and tags'),
        hub._error('/2/pos', 'is not known here; leave it out'),
        hub._error('/2/tags/1', 'a tag has 1 to 64 characters'),
        hub._error('/2/title', 'send a string'))),
    'what is wrong is named by its place')
FROM hub.add_pages(md5('Second')::uuid, '[
    {"title": "Right", "content": "", "tags": []}, 7, {"content": "", "tags": ["a", ""], "pos": 1}]') AS a;
SELECT is_empty($$SELECT FROM hub_store.page WHERE course_id = md5('Second')::uuid$$, 'then none is added');
SELECT is(
    concat_ws(' ', a.outcome, a.body, a.detail),
    text 'invalid ' || hub._invalid('', 'send an array of pages'), 'no array of pages')
FROM (VALUES (NULL), ('{}'), ('"x"')) AS v (pages)
CROSS JOIN LATERAL hub.add_pages(md5('First')::uuid, v.pages::jsonb) AS a;
SELECT is(concat_ws(' ', a.outcome, a.detail, a.body), 'not_found', 'an unknown course')
FROM hub.add_pages(md5('nothing')::uuid, '[]') AS a;

SELECT * FROM finish();
ROLLBACK;
