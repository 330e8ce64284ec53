BEGIN;
SELECT plan(6);

INSERT INTO hub_store.workspace (id, title) VALUES (md5('Here')::uuid, 'Here');
INSERT INTO hub_store.course (id, workspace_id, position, title)
VALUES (md5('First')::uuid, md5('Here')::uuid, 1, 'First');
SELECT is(
    concat_ws(' ', a.outcome, a.body, a.detail),
    text 'ok ' || jsonb_build_object('id', md5('First')::uuid, 'added', 3),
    'pages are added')
FROM hub.restore_pages(md5('First')::uuid, '[
    {"title": "One", "content": " \u00e9\r\n", "tags": ["b", "e\u0301", "B"]},
    {"title": "", "content": "", "tags": []},
    {"title": "One", "content": "3", "tags": ["a"]}]') AS a;
SELECT results_eq(
    $$SELECT position, title, content, tags FROM hub_store.page
      WHERE course_id = md5('First')::uuid ORDER BY position$$,
    $$VALUES
        (1, 'One', E' é\r\n', ARRAY['b', E'e\u0301', 'B']), (2, '', '', '{}'), (3, 'One', '3', ARRAY['a'])$$,
    'with the very tags they had, also where these are not normal here');
SELECT is(
    concat_ws(' ', a.outcome, a.body, a.detail),
    text 'invalid ' || jsonb_build_object('errors', jsonb_build_array(
        hub._error('/1/tags/1', 'a tag has no commas'), hub._error('/2/tags', 'send an array of strings'))),
    'tags that could not be made normal are refused')
FROM hub.restore_pages(md5('First')::uuid, '[
    {"title": "Right", "content": "", "tags": ["x"]},
    {"title": "", "content": "", "tags": ["a", "b,c"]},
    {"title": "", "content": ""}]') AS a;
SELECT is((SELECT count(*) FROM hub_store.page), 3::bigint, 'then none is added');
SELECT is(
    concat_ws(' ', a.outcome, a.body, a.detail),
    text 'invalid ' || hub._invalid('', 'send an array of pages'), 'no array of pages')
FROM hub.restore_pages(md5('First')::uuid, '{}') AS a;
SELECT is(concat_ws(' ', a.outcome, a.detail, a.body), 'not_found', 'an unknown course')
FROM hub.restore_pages(md5('nothing')::uuid, '[]') AS a;

SELECT * FROM finish();
ROLLBACK;
