BEGIN;
SELECT plan(5);
CALL fixture.world();
CALL fixture.queue('first');
CALL fixture.queue('second');

SELECT is(
    l.body::jsonb, jsonb_build_object('jobs', jsonb_build_array(fixture.snapshot('second')), 'next_cursor',
        fixture.job('second')),
    'the operator sees the jobs of any workspace')
FROM jobs.list_jobs_by_operator(fixture.id('main'), NULL, 1) AS l;
SELECT is(
    l.body::jsonb, jsonb_build_object('jobs', jsonb_build_array(fixture.snapshot('first')), 'next_cursor', NULL),
    'part by part')
FROM jobs.list_jobs_by_operator(fixture.id('main'), fixture.job('second')::text, 1) AS l;
SELECT is(concat_ws(' ', l.outcome, l.body), v.expected, v.claim)
FROM (VALUES
    ('other', NULL, 'ok {"jobs": [], "next_cursor": null}', 'one without jobs'),
    ('nowhere', NULL, 'not_found', 'one that does not exist'),
    ('other', 'x', 'invalid', 'a wrong cursor')) AS v (place, cursor, expected, claim),
    LATERAL jobs.list_jobs_by_operator(fixture.id(v.place), v.cursor, 50) AS l;

SELECT * FROM finish();
ROLLBACK;
