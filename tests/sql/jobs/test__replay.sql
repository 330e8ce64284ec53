BEGIN;
SELECT plan(35);
CALL fixture.world();
INSERT INTO hub_store.membership (workspace_id, user_id, role)
VALUES (fixture.id('other'), fixture.id('ada'), 'administrator');

CALL fixture.queue('job', fixture.tagging('{Old Plan,Été}'));
CALL fixture.remember();

SELECT is(
    (SELECT count(*) FROM jobs._replay(
        fixture.id('main'), fixture.id('ada'), 'new', jobs._normalise(fixture.tagging('{Old Plan,Été}')))),
    0::bigint, 'a new key stands for nothing');
SELECT is(c.outcome, 'replayed', 'A4: the same request: ' || v.claim)
FROM (VALUES
    (fixture.tagging('{Old Plan,Été}'), 'word for word'),
    (fixture.tagging('{Été,Old Plan}'), 'tags in another order'),
    (fixture.tagging('{OLD PLAN,éTÉ}'), 'tags in another case'),
    (fixture.tagging(ARRAY[E'\t Old   Plan ', 'Été']), 'tags with more white space'),
    (fixture.tagging(ARRAY['Old Plan', normalize('Été', NFD)]), 'tags in NFD'),
    (fixture.tagging('{Old Plan,old plan,Été}'), 'a tag twice'),
    (fixture.tagging('{Old Plan,Été}') || jsonb_build_object('course_id', upper(fixture.id('course')::text)),
        'the course id in capitals')) AS v (body, claim)
CROSS JOIN LATERAL jobs.create_job(fixture.session('ada'), fixture.id('main'), 'job', v.body, NULL) AS c;
SELECT is(c.outcome, 'idempotency_conflict', 'A4: another request: ' || v.claim)
FROM (VALUES
    (fixture.tagging('{Old Plan}'), 'a tag less'),
    (fixture.tagging('{Old Plan,Été,New}'), 'a tag more'),
    (fixture.tagging('{Old Plan,Ete}'), 'another tag'),
    (fixture.tagging('{Old Plan,Été}', 'empty'), 'another course'),
    (fixture.tagging('{Old Plan,Été}', 'nowhere'), 'a course that does not exist'),
    ('{"kind": "archive"}', 'another kind')) AS v (body, claim)
CROSS JOIN LATERAL jobs.create_job(fixture.session('ada'), fixture.id('main'), 'job', v.body, NULL) AS c;
SELECT results_eq(
    $$SELECT c.outcome, c.detail, c.body
      FROM jobs.create_job(
          fixture.session('ada'), fixture.id('main'), 'job', fixture.tagging('{Old Plan,Été}'), NULL) AS c$$,
    $$SELECT 'replayed', jsonb_build_object('job_id', fixture.job(), 'version', 1), jobs._snapshot(fixture.job())$$,
    'A4: the answer is the existing job');
SELECT ok(fixture.unchanged(), 'A4: a key that is used again changes nothing');
SELECT is(
    fixture.create('job', 'ada', fixture.tagging('{Old Plan}') || '{"x": 1}'), 'invalid',
    'A4: the shape is judged before the key');

-- The request is compared by the present rules, not as it once was stored.
UPDATE jobs_store.job AS j SET request = j.request || '{"tags": [" OLD  PLAN", "été"]}' WHERE j.id = fixture.job();
SELECT is(
    fixture.create('job', 'ada', fixture.tagging('{Été,Old Plan}')), 'replayed',
    'A4: the stored request is normalised anew');
UPDATE jobs_store.job AS j SET request = '{"tags": []}' WHERE j.id = fixture.job();
SELECT is(
    fixture.create('job', 'ada', fixture.tagging('{Été,Old Plan}')), 'idempotency_conflict',
    'A4: a stored request that has no shape today is another request, not an error');
UPDATE jobs_store.job AS j SET request = fixture.tagging('{Old Plan,Été}') - 'kind' WHERE j.id = fixture.job();

UPDATE jobs_store.setting AS s SET value = s.minimum;
SELECT is(
    fixture.create('job', 'ada', fixture.tagging('{Été,Old Plan}')), 'replayed',
    'A4: the same request at every capacity, the settings changed');
SELECT is(
    fixture.create('job', 'ada', fixture.tagging('{Other}')), 'idempotency_conflict', 'A4: another one too');
UPDATE hub_store.course AS c SET title = 'Renamed' WHERE c.id = fixture.id('course');
DELETE FROM hub_store.page AS p WHERE p.id = fixture.page(2);
SELECT is(
    c.body::jsonb #>> '{request,course_title}', 'Course', 'A4: when the course changed, the job as it was admitted')
FROM jobs.create_job(
    fixture.session('ada'), fixture.id('main'), 'job', fixture.tagging('{Old Plan,Été}'), NULL) AS c;
DELETE FROM hub_store.page AS p WHERE p.course_id = fixture.id('course');
DELETE FROM hub_store.course AS c WHERE c.id = fixture.id('course');
SELECT is(
    fixture.create('job', 'ada', fixture.tagging('{Old Plan,Été}')), 'replayed', 'A4: when the course is gone');
SELECT is(
    fixture.create('job', 'ada', fixture.tagging('{Other}')), 'idempotency_conflict',
    'A4: another request on a course that is gone');

INSERT INTO jobs_store.kind (name, itemised) VALUES ('export', false);
UPDATE jobs_store.setting AS s SET value = 10 WHERE s.name LIKE 'Max%' AND s.minimum <= 10;
SELECT is(fixture.create('bare', 'ada', '{"kind": "archive"}'), 'created', 'a job of a kind without parameters');
SELECT is(
    fixture.create('bare', 'ada', '{"kind": "export"}'), 'idempotency_conflict',
    'A4: another kind is another request, though neither has parameters');
SELECT is(fixture.cancel('bare'), 'ok', 'out of the way');

SELECT is(fixture.claim(), 'job', 'a claim');
SELECT is(
    c.body::jsonb ->> 'state', 'running', 'A4: while it runs, the job as it is now')
FROM jobs.create_job(
    fixture.session('ada'), fixture.id('main'), 'job', fixture.tagging('{Old Plan,Été}'), NULL) AS c;
SELECT is(fixture.advance(), 'ended', 'a step');
SELECT is(
    c.outcome || ' ' || (c.body::jsonb ->> 'state'), 'replayed succeeded', 'A4: after it finished')
FROM jobs.create_job(
    fixture.session('ada'), fixture.id('main'), 'job', fixture.tagging('{Old Plan,Été}'), NULL) AS c;
SELECT is(
    fixture.create('job', 'ada', fixture.tagging('{Other}')), 'idempotency_conflict',
    'A4: after it finished, another request');

SELECT is(
    fixture.create('job', 'ben', fixture.tagging('{Bens}', 'empty')), 'created', 'A4: a key is the actor''s own');
SELECT is(
    fixture.create('job', 'ada', fixture.tagging('{Theirs}', 'foreign'), 'other'), 'created',
    'A4: and is good in one workspace');
SELECT is(
    fixture.create('job', 'ada', fixture.tagging('{Été,Old Plan}')), 'replayed',
    'A4: beside those the old one stays');

SELECT * FROM finish();
ROLLBACK;
