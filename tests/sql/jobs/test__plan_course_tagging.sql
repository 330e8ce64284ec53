BEGIN;
SELECT plan(6);
CALL fixture.world();

-- Positions run against the order of the ids.
DELETE FROM hub_store.page AS p WHERE p.course_id = fixture.id('course');
INSERT INTO hub_store.page (id, course_id, position, title, content)
SELECT fixture.page(n), fixture.id('course'), 3000 - n, '', '' FROM generate_series(1, 2001) AS n;
CALL fixture.fill(1, 'ada', 'queued');
UPDATE jobs_store.job AS j SET idempotency_key = 'job';
SELECT is(
    jobs._plan_course_tagging(jsonb_build_object('job', fixture.job())), '{"total": 2001}',
    'A1: the worklist has every page of the course');
SELECT results_eq(
    $$SELECT w.chunk, cardinality(w.page_ids) FROM jobs_store.worklist AS w WHERE w.job_id = fixture.job() ORDER BY 1$$,
    $$VALUES (0, 1000), (1, 1000), (2, 1)$$, 'A1: 1,000 a row');
SELECT is(
    (SELECT array_agg(p.id ORDER BY w.chunk, p.place)
     FROM jobs_store.worklist AS w, unnest(w.page_ids) WITH ORDINALITY AS p (id, place)),
    ARRAY(SELECT fixture.page(n) FROM generate_series(1, 2001) AS n),
    'in page id order, each once');

DELETE FROM jobs_store.worklist;
UPDATE jobs_store.setting AS s SET value = 2000 WHERE s.name = 'MaxCoursePages';
SELECT throws_ok(
    $$SELECT jobs._plan_course_tagging(jsonb_build_object('job', fixture.job()))$$, '40001', NULL,
    'A6: a course that outgrew the limit meanwhile: try again');
DELETE FROM hub_store.page AS p WHERE p.course_id = fixture.id('course');
SELECT is(
    jobs._plan_course_tagging(jsonb_build_object('job', fixture.job())), '{"total": 0}',
        'A6: an empty course: total 0');
SELECT is_empty($$SELECT FROM jobs_store.worklist$$, 'A6: and no worklist');

SELECT * FROM finish();
ROLLBACK;
