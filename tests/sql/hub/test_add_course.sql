BEGIN;
SELECT plan(7);

INSERT INTO hub_store.workspace (id, title) VALUES (md5('Here')::uuid, 'Here'), (md5('There')::uuid, 'There');
CREATE TEMPORARY TABLE answer AS SELECT a.* FROM hub.add_course(md5('Here')::uuid, '') AS a;
SELECT is(concat_ws(' ', a.outcome, a.body), 'ok', 'a course is added; its title may be empty')
FROM answer AS a;
SELECT results_eq(
    $$SELECT workspace_id, position, title FROM hub_store.course
      WHERE id = (SELECT detail ->> 'id' FROM answer)::uuid$$,
    $$VALUES (md5('Here')::uuid, 1, '')$$, 'the first has position 1');
INSERT INTO hub_store.course (workspace_id, position, title)
VALUES (md5('Here')::uuid, 7, 'Seven'), (md5('There')::uuid, 99, 'Foreign');
SELECT is(a.outcome, 'ok', 'a title may have 10,000 characters')
FROM hub.add_course(md5('Here')::uuid, repeat('🙂', 10000)) AS a;
SELECT results_eq(
    $$SELECT position FROM hub_store.course WHERE workspace_id = md5('Here')::uuid ORDER BY position$$,
    $$VALUES (1), (7), (8)$$, 'every other comes after the last of its workspace');
SELECT is(
    concat_ws(' ', a.outcome, a.body, a.detail),
    text 'invalid ' || hub._invalid('/title', 'a title has at most 10,000 characters'),
    'no title: ' || left(coalesce(v.title, 'NULL'), 30))
FROM (VALUES (NULL), (repeat('x', 10001))) AS v (title)
CROSS JOIN LATERAL hub.add_course(md5('Here')::uuid, v.title) AS a;
SELECT is(concat_ws(' ', a.outcome, a.detail, a.body), 'not_found', 'an unknown workspace')
FROM hub.add_course(md5('nowhere')::uuid, 'Title') AS a;

SELECT * FROM finish();
ROLLBACK;
