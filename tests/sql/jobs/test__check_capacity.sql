BEGIN;
SELECT plan(28);
CALL fixture.world();

CREATE FUNCTION pg_temp.capacity(p_who text) RETURNS jsonb LANGUAGE sql AS $$
    SELECT jobs._check_capacity(fixture.id('main'), fixture.id(p_who));
$$;
CREATE FUNCTION pg_temp.detail(p_limit text, p_value integer, p_retry_after integer) RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object('limit', p_limit, 'value', p_value, 'retry_after', p_retry_after);
$$;

-- MaxPendingPerActor = 3.
CALL fixture.fill(2, 'ada', 'queued');
SELECT is(pg_temp.capacity('ada'), NULL, 'A3: an actor with 2 pending jobs may have a third');
CALL fixture.fill(1, 'ada', 'queued');
SELECT is(pg_temp.capacity('ada'), pg_temp.detail('MaxPendingPerActor', 3, 10), 'A3: with 3 not a fourth');
SELECT is(pg_temp.capacity('ben'), NULL, 'A3: another actor may');
SELECT is(fixture.claim() IS NOT NULL, true, 'one of them is claimed');
SELECT is(
    pg_temp.capacity('ada'), pg_temp.detail('MaxPendingPerActor', 3, 10), 'A3: a running job is pending too');
UPDATE jobs_store.job AS j SET state = 'failed', failure = '{}', finished_at = now(),
    lease = NULL, lease_until = NULL, lease_seconds = NULL, worker = NULL
WHERE j.state = 'running';
SELECT is(pg_temp.capacity('ada'), NULL, 'A3: a terminal one is not');
INSERT INTO hub_store.membership (workspace_id, user_id, role)
VALUES (fixture.id('other'), fixture.id('ben'), 'administrator');
CALL fixture.fill(3, 'ben', 'queued', p_workspace => 'other');
SELECT is(pg_temp.capacity('ben'), NULL, 'A3: jobs of the actor in another workspace do not count');

-- MaxPendingPerWorkspace = 10; two are pending.
CALL fixture.fill(7, 'cyd', 'queued');
SELECT is(pg_temp.capacity('ben'), NULL, 'A3: a workspace with 9 pending jobs may have a tenth');
CALL fixture.fill(1, 'cyd', 'queued');
SELECT is(pg_temp.capacity('ben'), pg_temp.detail('MaxPendingPerWorkspace', 10, 10), 'A3: with 10 not an eleventh');
SELECT is(
    pg_temp.capacity('cyd'), pg_temp.detail('MaxPendingPerWorkspace', 10, 10),
    'A3: the limit of the workspace is named first');
SELECT is(
    jobs._check_capacity(fixture.id('other'), fixture.id('stranger')), NULL, 'A3: another workspace has its own');
UPDATE jobs_store.setting AS s SET value = 11 WHERE s.name = 'MaxPendingPerWorkspace';
SELECT is(pg_temp.capacity('ben'), NULL, 'A3: a limit is what its setting is now');

-- MaxCreatedPerDay = 100; 11 were created.
CALL fixture.fill(88, 'cyd', 'succeeded', '23 hours 59 minutes');
SELECT is(pg_temp.capacity('ben'), NULL, 'A3: a workspace with 99 jobs in 24 hours may have a hundredth');
CALL fixture.fill(100, 'cyd', 'cancelled', '24 hours');
SELECT is(pg_temp.capacity('ben'), NULL, 'A3: those of 24 hours ago have left the window');
CALL fixture.fill(1, 'ben', 'cancelled', '23 hours 59 minutes 50 seconds');
SELECT is(
    pg_temp.capacity('ben') - 'retry_after', '{"limit": "MaxCreatedPerDay", "value": 100}',
    'A3: with 100 not one more; a cancelled job is not given back');
SELECT ok(
    (pg_temp.capacity('ben') ->> 'retry_after')::integer BETWEEN 8 AND 10,
    'A3: a place frees when the oldest of them leaves the window');
CALL fixture.fill(1, 'ben', 'failed', '1 hour');
SELECT ok(
    (pg_temp.capacity('ben') ->> 'retry_after')::integer BETWEEN 57 AND 60,
    'A3: with 101, when two have left it');
UPDATE jobs_store.setting AS s SET value = 0 WHERE s.name = 'MaxCreatedPerDay';
SELECT is(
    pg_temp.capacity('ben'), pg_temp.detail('MaxCreatedPerDay', 0, 86400), 'A3: with none allowed, in a day');
SELECT is(
    jobs._check_capacity(fixture.id('nowhere'), fixture.id('ben')), pg_temp.detail('MaxCreatedPerDay', 0, 86400),
    'A3: also where there is no job at all');
UPDATE jobs_store.setting AS s SET value = 101 WHERE s.name = 'MaxCreatedPerDay';
UPDATE jobs_store.job AS j SET created_at = clock_timestamp() + interval '0.5 seconds' - interval '24 hours'
WHERE j.state = 'queued' AND j.id = (
    SELECT o.id FROM jobs_store.job AS o WHERE o.state = 'queued' AND o.workspace_id = fixture.id('main') LIMIT 1);
SELECT is(
    pg_temp.capacity('ben'), pg_temp.detail('MaxCreatedPerDay', 101, 1), 'A3: retry_after is at least a second');

-- The whole way.
UPDATE jobs_store.setting AS s SET value = 1000 WHERE s.name = 'MaxCreatedPerDay';
UPDATE jobs_store.setting AS s SET value = 1000 WHERE s.name = 'MaxPendingPerWorkspace';
SELECT is(fixture.create('1', 'ben'), 'created', 'A3: a first job of three');
SELECT is(fixture.create('2', 'ben'), 'created', 'A3: a second');
SELECT is(fixture.create('3', 'ben'), 'created', 'A3: the third');
CALL fixture.remember();
SELECT is(fixture.create('4', 'ben'), 'capacity', 'A3: no fourth');
SELECT ok(fixture.unchanged(), 'A3: a rejection inserts nothing');
SELECT is(fixture.cancel('1', 'ben'), 'ok', 'A3: when one is cancelled');
SELECT is(fixture.create('4', 'ben'), 'created', 'A3: the fourth is created');

-- History costs nothing.
UPDATE jobs_store.setting AS s SET value = 10 WHERE s.name = 'MaxPendingPerWorkspace';
CALL fixture.fill(5000, 'cyd', 'succeeded', '2 days');
ANALYZE jobs_store.job;
SELECT cmp_ok(
    fixture.reads($$SELECT pg_temp.capacity('ben')$$), '<', 200::bigint,
    'E7: 5,000 jobs of days before are not read');

SELECT * FROM finish();
ROLLBACK;
