BEGIN;
SELECT plan(19);
CALL fixture.world();
CALL fixture.grow(120);
CALL fixture.start();
DELETE FROM hub_store.page AS p WHERE p.course_id = fixture.id('course') AND p.position > 3;
UPDATE hub_store.page AS p SET tags = ARRAY(SELECT 't' || n FROM generate_series(1, 200) AS n)
    WHERE p.id = fixture.page(2);
SELECT is(fixture.advance(), 'ended', 'a job with 118 failures');

CREATE FUNCTION pg_temp.list(
    p_cursor text DEFAULT NULL, p_limit integer DEFAULT 500, p_who text DEFAULT 'ada',
        p_workspace text DEFAULT 'main', p_key text DEFAULT 'job')
RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', l.outcome, l.detail, jsonb_array_length(b.body -> 'errors'),
        right(b.body #>> '{errors,0,page_id}', 3), right(b.body #>> '{errors,-1,page_id}', 3),
            right(b.body ->> 'next_cursor', 3))
    FROM jobs.list_page_errors(fixture.session(p_who), fixture.id(p_workspace), fixture.job(p_key), p_cursor,
        p_limit) AS l,
         LATERAL (SELECT l.body::jsonb AS body) AS b;
$$;
SELECT is(pg_temp.list(), 'ok 100 002 066', 'the first 100 are kept, in page order');
SELECT is(
    jsonb_path_query_array(l.body::jsonb, '$.errors[0 to 1]'),
    jsonb_build_array(
        jobs._page_error(fixture.page(2), 'Page 2', 'tags_full'),
            jobs._page_error(fixture.page(4), NULL, 'page_missing')),
    'each as in the snapshot')
FROM jobs.list_page_errors(fixture.session('ada'), fixture.id('main'), fixture.job(), NULL, 50) AS l;
SELECT is(pg_temp.list(NULL, 2), 'ok 2 002 004 004', 'a part, and where to go on');
SELECT is(pg_temp.list(fixture.page(4)::text, 2), 'ok 2 005 006 006', 'the next one');
SELECT is(pg_temp.list(upper(fixture.page(101)::text), 2), 'ok 1 066 066', 'the last one, which is not full');
SELECT is(pg_temp.list(NULL, 100), 'ok 100 002 066', 'as many as there are: no more');
SELECT is(pg_temp.list(fixture.page(102)::text), 'ok 0', 'nothing after the last');
SELECT is(
    pg_temp.list(c.cursor),
    'invalid {"errors": [{"message": "take the cursor from the last answer", "pointer": "/cursor"}]}',
    'no cursor: ' || c.cursor)
FROM unnest('{"",x,7,00000000000040008000000000000004}'::text[]) AS c (cursor);
SELECT is(pg_temp.list(NULL, 50, v.who, v.place, v.key), v.expected, v.claim)
FROM (VALUES
    ('editor', 'main', 'job', 'not_administrator', 'not for an editor'),
    ('lapsed', 'main', 'job', 'not_administrator', 'not for a disabled member'),
    ('stranger', 'main', 'job', 'not_found', 'a workspace of others is not there'),
    ('stranger', 'other', 'job', 'not_found', 'a job of another workspace'),
    ('ada', 'main', 'none', 'not_found', 'a job that does not exist'),
    ('nobody', 'main', 'job', 'unauthenticated', 'without a session')) AS v (who, place, key, expected, claim);
CALL fixture.queue('beside');
SELECT is(pg_temp.list(p_key => 'beside'), 'ok 0', 'a job without errors');

SELECT * FROM finish();
ROLLBACK;
