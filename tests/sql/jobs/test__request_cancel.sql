BEGIN;
SELECT plan(26);
CALL fixture.world();
UPDATE jobs_store.setting AS s SET value = 100 WHERE s.name LIKE 'MaxPending%';

CREATE FUNCTION pg_temp.request(p_key text, p_who text DEFAULT 'ben') RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', jobs._request_cancel(fixture.job(p_key), fixture.id(p_who), '192.0.2.3'),
        fixture.state(p_key));
$$;

-- Queued.
CALL fixture.queue('queued');
SELECT is(pg_temp.request('queued'), 'ok cancelled', 'C2: a queued job is cancelled at once');
SELECT is(
    fixture.events('queued'), 'queued by user, cancel_requested by user, cancelled by user',
    'U1: with two events, C1: one of them the request');
SELECT is(fixture.version('queued'), 2::bigint, 'V1: and one version');
SELECT is_empty(
    $$SELECT FROM jobs_store.worklist AS w WHERE w.job_id = fixture.job('queued')$$, 'T1: its worklist is gone');
CALL fixture.remember();
SELECT is(pg_temp.request('queued', 'cyd'), 'ok cancelled', 'C1: to ask again');
SELECT ok(fixture.unchanged(), 'C1: changes nothing and adds no event');

-- Given back.
CALL fixture.start('released');
SELECT is(r.outcome, 'queued', 'a job that was given back')
FROM jobs.release(fixture.job('released'), fixture.lease('released')) AS r;
SELECT is(pg_temp.request('released'), 'ok cancelled', 'C2: is queued and cancelled at once');

-- Running.
CALL fixture.start('running');
SELECT is(pg_temp.request('running'), 'asked running', 'C2: a running job is asked to stop');
SELECT is(
    fixture.events('running'), 'queued by user, claimed by worker, cancel_requested by user', 'C1: with one event');
SELECT results_eq(
    $$SELECT j.version, j.cancel_requested_at > now(), j.lease_until > clock_timestamp()
      FROM jobs_store.job AS j WHERE j.id = fixture.job('running')$$,
    $$VALUES (3::bigint, true, true)$$, 'C1: and the request together, V1: in one version; its holder keeps the lease');
CALL fixture.remember();
SELECT is(pg_temp.request('running', 'cyd'), 'ok running', 'C1: to ask again');
SELECT ok(fixture.unchanged(), 'C1: changes nothing and adds no event');
CALL fixture.expire('running');
SELECT is(pg_temp.request('running', 'cyd'), 'ok cancelled', 'C2: when its lease is over, it is cancelled at once');
SELECT is(
    fixture.events('running'),
    'queued by user, claimed by worker, cancel_requested by user, cancelled by user', 'U1: without a second request');

CALL fixture.start('expired');
SELECT is(fixture.advance('expired', 1), 'continue', 'a job with some progress');
CALL fixture.expire('expired');
SELECT is(pg_temp.request('expired'), 'ok cancelled', 'C2: a running job whose lease is over is cancelled at once');
SELECT is(
    fixture.events('expired'),
    'queued by user, claimed by worker, cancel_requested by user, cancelled by user', 'U1: with two events');
SELECT is(fixture.progress('expired'), '1/3 1+0+0', 'C2: what was done stays');

-- Over.
CALL fixture.start('succeeded');
SELECT is(fixture.advance('succeeded'), 'ended', 'a job that succeeded');
CALL fixture.start('failed');
SELECT is(f.outcome, 'failed', 'a job that failed')
FROM jobs.finish(fixture.job('failed'), fixture.lease('failed'), NULL, 'worker_error') AS f;
CALL fixture.remember();
SELECT is(pg_temp.request('succeeded'), 'terminal succeeded', 'C3: cannot be cancelled');
SELECT is(pg_temp.request('failed'), 'terminal failed', 'C3: nor can one that failed');
SELECT ok(fixture.unchanged(), 'C3: nothing changes');

-- By the operator.
CALL fixture.queue('operator');
SELECT is(jobs._request_cancel(fixture.job('operator'), NULL, NULL), 'ok', 'A5: the operator cancels');
SELECT results_eq(
    $$SELECT a.event, a.by, a.actor_id, a.actor_name, a.worker, a.address
      FROM jobs_store.audit_event AS a WHERE a.job_id = fixture.job('operator') AND a.event <> 'job.queued'
          ORDER BY a.id$$,
    $$SELECT e, 'operator', NULL::uuid, NULL, NULL, NULL::inet
        FROM unnest('{job.cancel_requested,job.cancelled}'::text[]) AS e$$,
    'A5: and the events say so, without an actor');

SELECT * FROM finish();
ROLLBACK;
