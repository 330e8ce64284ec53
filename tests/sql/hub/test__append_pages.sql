BEGIN;
SELECT plan(3);

INSERT INTO hub_store.workspace (id, title) VALUES (md5('Here')::uuid, 'Here');
INSERT INTO hub_store.course (id, workspace_id, position, title)
VALUES (md5('First')::uuid, md5('Here')::uuid, 1, 'First');
SELECT is(
    a.detail ->> 'added', '1', 'a page is added; its tags as given: ' || v.as_given)
FROM (VALUES (false), (true)) AS v (as_given)
CROSS JOIN LATERAL hub._append_pages(
    md5('First')::uuid, '[{"title": "", "content": "", "tags": [" b ", "B"]}]', v.as_given) AS a;
SELECT results_eq(
    $$SELECT position, tags FROM hub_store.page ORDER BY position$$,
    $$VALUES (1, ARRAY['b']), (2, ARRAY[' b ', 'B'])$$,
    'tags are normalised, or kept as given');

SELECT * FROM finish();
ROLLBACK;
