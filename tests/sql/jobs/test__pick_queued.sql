BEGIN;
SELECT plan(7);
CALL fixture.world();

SELECT is(jobs._pick_queued('{course_tagging}'), NULL, 'nothing is queued');
CALL fixture.queue('first');
CALL fixture.queue('second');
UPDATE jobs_store.job AS j SET created_at = '2020-01-01';
SELECT is(
    jobs._pick_queued('{course_tagging}'), least(fixture.job('first'), fixture.job('second')),
    'E6: of two of the same time the lower id');
SELECT is(jobs._pick_queued('{archive}'), NULL, 'E6: only kinds that were asked for');
SELECT results_eq(
    $$SELECT j.id FROM jobs_store.job AS j WHERE j.id = jobs._pick_queued('{course_tagging}') AND j.state = 'queued'$$,
    $$SELECT least(fixture.job('first'), fixture.job('second'))$$, 'it changes nothing');
UPDATE jobs_store.job AS j SET created_at = '2019-01-01' WHERE j.id = fixture.job('second');
SELECT is(jobs._pick_queued('{course_tagging}'), fixture.job('second'), 'E6: else the older one');

-- 1,000 workspaces with 10 pending jobs each.
DELETE FROM hub_store.membership;
CREATE TEMPORARY TABLE place ON COMMIT DROP AS SELECT gen_random_uuid() AS id, n FROM generate_series(1, 1000) AS n;
INSERT INTO hub_store.workspace (id, title) SELECT p.id, 'Place' FROM place AS p;
INSERT INTO jobs_store.job
    (workspace_id, kind, itemised, actor_id, actor_name, idempotency_key, request, labels, max_attempts,
     notified_at, created_at)
SELECT p.id, 'course_tagging', true, fixture.id('ada'), 'Ada', p.n || '.' || k, '{}', '{}', 3, now(),
       timestamptz '2020-01-01' + make_interval(secs => p.n * 10 + k)
FROM place AS p, generate_series(1, 10) AS k;
ANALYZE jobs_store.job;

-- The shortest of 20 claims, in milliseconds: what a claim costs when nobody else has the processor.
CREATE FUNCTION pg_temp.cost() RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    v_start timestamptz;
    v_least interval := '1 hour';
BEGIN
    FOR n IN 1..20 LOOP
        v_start := clock_timestamp();
        PERFORM jobs.claim('w', '{course_tagging}');
        v_least := least(v_least, clock_timestamp() - v_start);
    END LOOP;
    RETURN extract(epoch FROM v_least) * 1000;
END;
$$;
SELECT cmp_ok(pg_temp.cost(), '<', 5.0, 'E6: a claim takes less than 5 ms where nothing runs');
UPDATE jobs_store.job AS j
SET state = 'running', attempt = 1, lease = gen_random_uuid(), lease_until = 'infinity', lease_seconds = 30, worker = 'w',
    started_at = now()
WHERE j.idempotency_key LIKE '%.1' AND j.state = 'queued'
    AND j.workspace_id IN (SELECT p.id FROM place AS p WHERE p.n <= 100);
ANALYZE jobs_store.job;
SELECT cmp_ok(pg_temp.cost(), '<', 5.0, 'E6: and where the 100 workspaces with the oldest jobs have one running');

SELECT * FROM finish();
ROLLBACK;
