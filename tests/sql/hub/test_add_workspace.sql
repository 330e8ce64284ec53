BEGIN;
SELECT plan(8);

CREATE TEMPORARY TABLE answer AS SELECT a.* FROM hub.add_workspace(' Ж "one" ') AS a;
SELECT is(concat_ws(' ', a.outcome, a.body), 'ok', 'a workspace is added') FROM answer AS a;
SELECT is(w.title, ' Ж "one" ', 'with its title as it is')
FROM hub_store.workspace AS w
WHERE w.id = (SELECT detail ->> 'id' FROM answer)::uuid;
SELECT is(a.outcome, 'ok', 'another one may have the same title') FROM hub.add_workspace(' Ж "one" ') AS a;
SELECT is(a.outcome, 'ok', 'a title may have 10,000 characters')
FROM hub.add_workspace(repeat('🙂', 10000)) AS a;
SELECT is(
    concat_ws(' ', a.outcome, a.body, a.detail),
    text 'invalid ' || hub._invalid(
        '/title', 'a workspace''s title has 1 to 10,000 characters, not only spaces'),
    'no title: ' || left(coalesce(v.title, 'NULL'), 30))
FROM (VALUES (NULL), (''), ('  '), (repeat('x', 10001))) AS v (title)
CROSS JOIN LATERAL hub.add_workspace(v.title) AS a;

SELECT * FROM finish();
ROLLBACK;
