BEGIN;
SELECT plan(11);
CALL fixture.world();
CALL fixture.queue('first');
CALL fixture.queue('second', '{"kind": "archive"}');

SELECT is(
    concat_ws(' ', l.outcome, l.detail, jsonb_array_length(l.body::jsonb -> 'jobs')), v.expected, v.claim)
FROM (VALUES
    ('ada', 'main', 'ok 2', 'an administrator sees the jobs of the workspace'),
    ('ben', 'main', 'ok 2', 'also those of others'),
    ('stranger', 'other', 'ok 0', 'of each its own'),
    ('editor', 'main', 'not_administrator', 'an editor sees none'),
    ('reader', 'main', 'not_administrator', 'a reader sees none'),
    ('lapsed', 'main', 'not_administrator', 'nor does a disabled member'),
    ('stranger', 'main', 'not_found', 'a workspace of others is not there'),
    ('nobody', 'main', 'unauthenticated', 'without a session')) AS v (who, place, expected, claim),
    LATERAL jobs.list_jobs(fixture.session(v.who), fixture.id(v.place), NULL, NULL, NULL, 50) AS l;
SELECT is(l.body::jsonb #>> '{jobs,0,kind}', 'archive', 'filters are passed on')
FROM jobs.list_jobs(fixture.session('ada'), fixture.id('main'), 'queued', 'archive', NULL, 50) AS l;
SELECT is(l.body::jsonb #>> '{jobs,0,id}', fixture.job('first')::text, 'and the cursor')
FROM jobs.list_jobs(fixture.session('ada'), fixture.id('main'), NULL, NULL, fixture.job('second')::text, 50) AS l;
SELECT is(l.outcome || (l.detail #>> '{errors,0,pointer}'), 'invalid/cursor', 'a wrong one is refused')
FROM jobs.list_jobs(fixture.session('ada'), fixture.id('main'), NULL, NULL, 'x', 50) AS l;

SELECT * FROM finish();
ROLLBACK;
