BEGIN;
SELECT plan(8);
CALL fixture.world();
CREATE FUNCTION pg_temp.pick(p_busy uuid[], p_kinds text[] DEFAULT '{course_tagging}')
RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT j.idempotency_key FROM jobs_store.job AS j WHERE j.id = jobs._pick_fairly(p_kinds, p_busy)
$$;

SELECT is(pg_temp.pick('{}'), NULL, 'nothing is queued');

-- One runs in `physics`; of the queued jobs the first two are there, too.
DELETE FROM hub_store.membership;
INSERT INTO hub_store.workspace (id, title)
SELECT fixture.id(w.name), w.name FROM (VALUES ('physics'), ('biology')) AS w (name);
INSERT INTO jobs_store.job
    (workspace_id, kind, itemised, actor_id, actor_name, idempotency_key, request, labels, max_attempts,
     notified_at, created_at)
SELECT fixture.id(j.workspace), 'course_tagging', true, fixture.id('ada'), 'Ada', j.key, '{}', '{}', 3, now(),
       timestamptz '2020-01-01' + make_interval(secs => j.age)
FROM (VALUES ('running', 'physics', 0), ('first', 'physics', 1), ('second', 'physics', 2),
             ('third', 'biology', 3)) AS j (key, workspace, age);
UPDATE jobs_store.job AS j
SET state = 'running', attempt = 1, lease = gen_random_uuid(), lease_until = 'infinity', lease_seconds = 30,
    worker = 'w', started_at = now()
WHERE j.idempotency_key = 'running';
SELECT is(
    pg_temp.pick(ARRAY[fixture.id('physics')]), 'third', 'E6: the oldest where nothing runs, before any that is older');
SELECT is(pg_temp.pick(ARRAY[fixture.id('physics')], '{archive}'), NULL, 'E6: only kinds that were asked for');
SELECT is(
    pg_temp.pick(ARRAY[fixture.id('physics'), fixture.id('biology')]), 'third',
    'E6: where each is busy, of the one with the fewest running now');
UPDATE jobs_store.job AS j SET workspace_id = fixture.id('physics') WHERE j.idempotency_key = 'third';
SELECT is(pg_temp.pick(ARRAY[fixture.id('physics')]), 'first', 'E6: where all are of one busy workspace, the oldest');
SELECT results_eq(
    $$SELECT count(*) FROM jobs_store.job AS j WHERE j.state = 'queued'$$, $$VALUES (3::bigint)$$, 'it changes nothing');
UPDATE jobs_store.job AS j SET created_at = '2019-01-01' WHERE j.idempotency_key = 'second';
SELECT is(pg_temp.pick(ARRAY[fixture.id('physics')]), 'second', 'E6: and the order is that of their creation');
-- Twice as fast beside 300 busy workspaces.
SELECT is(
    (SELECT p.proconfig[2] FROM pg_proc AS p WHERE p.oid = 'jobs._pick_fairly(text[], uuid[])'::regprocedure),
    'plan_cache_mode=force_custom_plan', 'it is planned anew for each list of busy workspaces');

SELECT * FROM finish();
ROLLBACK;
