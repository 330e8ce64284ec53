BEGIN;
SELECT plan(8);
CALL fixture.world();
CALL fixture.queue();

SELECT is(jobs._record_event(
    fixture.job(), 'job.cancel_requested', fixture.id('ben'), NULL, '2001:db8::1', '{"a": 1}')::text, '', 'by a user');
SELECT is(jobs._record_event(fixture.job(), 'job.claimed', p_worker => 'host:1')::text, '', 'by a worker');
SELECT is(jobs._record_event(fixture.job(), 'job.cancelled')::text, '', 'by the operator');
SELECT results_eq(
    $$SELECT a.event, a.workspace_id, a.job_id, a.actor_id, a.actor_name, a.by, a.worker, a.address, a.detail
      FROM jobs_store.audit_event AS a WHERE a.event <> 'job.queued' ORDER BY a.id$$,
    $$SELECT v.event, fixture.id('main'), fixture.job(), v.actor, v.name, v.by, v.worker, v.address::inet,
        v.detail::jsonb
      FROM (VALUES
        ('job.cancel_requested', fixture.id('ben'), 'Ben', 'user', NULL, '2001:db8::1', '{"a": 1}'),
        ('job.claimed', NULL, NULL, 'worker', 'host:1', NULL, '{}'),
        ('job.cancelled', NULL, NULL, 'operator', NULL, NULL, '{}'))
        AS v (event, actor, name, by, worker, address, detail)$$,
    'U1: who, from where and in which workspace');
SELECT ok(
    (SELECT max(a.at) BETWEEN now() AND clock_timestamp() AND max(a.at) > now() FROM jobs_store.audit_event AS a),
    'U1: the time is that of the event, not of its transaction');
UPDATE hub_store.app_user AS u SET name = 'Renamed';
SELECT is(
    (SELECT a.actor_name FROM jobs_store.audit_event AS a WHERE a.event = 'job.cancel_requested'), 'Ben',
    'U1: the name is as it was then');
SELECT is(
    jobs._record_event(gen_random_uuid(), 'job.claimed', p_worker => 'w')::text, '', 'of a job that is not there');
SELECT is((SELECT count(*) FROM jobs_store.audit_event), 4::bigint, 'there is no event');

SELECT * FROM finish();
ROLLBACK;
