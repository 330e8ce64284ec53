BEGIN;
SELECT plan(17);
CALL fixture.world();
CALL fixture.grow(1500);
DELETE FROM hub_store.page AS p WHERE p.id = fixture.page(1);
CALL fixture.start();
CALL fixture.queue('beside');
INSERT INTO jobs_store.page_error (job_id, page_id, code) VALUES (fixture.job(), fixture.page(2), 'page_missing');
UPDATE jobs_store.job AS j
SET processed = 9, changed = 8, failed = 1, page_locked_since = now() WHERE j.id = fixture.job();
CREATE TEMPORARY TABLE pages ON COMMIT DROP AS SELECT * FROM hub_store.page;

SELECT is(
    jobs._end_job(fixture.job(), 'failed', 'storage_full', p_worker => 'w')::text, '', 'a job ends');
SELECT results_eq(
    $$SELECT j.state, j.failure ->> 'code', j.result, j.version, j.finished_at > now(),
             num_nulls(j.lease, j.lease_until, j.lease_seconds, j.worker, j.page_locked_since, j.cancel_requested_at)
      FROM jobs_store.job AS j WHERE j.id = fixture.job()$$,
    $$VALUES ('failed', 'storage_full', NULL::jsonb, 3::bigint, true, 6)$$,
    'T1: nobody holds it; V1: its version rose by one');
SELECT is_empty($$SELECT FROM jobs_store.worklist AS w WHERE w.job_id = fixture.job()$$, 'T1: its worklist is deleted');
SELECT is(
    concat_ws(' ', fixture.progress(), fixture.errors(),
        (SELECT j.actor_name FROM jobs_store.job AS j WHERE j.id = fixture.job()),
        fixture.events()),
    '9/1499 8+0+1 2 page_missing Ada queued by user, claimed by worker, failed by worker',
    'T1: counters, errors, actor and audit stay');
SELECT is(
    (SELECT a.detail FROM jobs_store.audit_event AS a WHERE a.event = 'job.failed'), '{"code": "storage_full"}',
    'U1: the event says why');
SELECT is_empty($$(SELECT * FROM hub_store.page) EXCEPT (SELECT * FROM pages)$$, 'T1: pages are not touched');
SELECT is((SELECT count(*) FROM hub_store.page), (SELECT count(*) FROM pages), 'T1: nor deleted');
SELECT is(
    (SELECT count(*) FROM jobs_store.worklist AS w WHERE w.job_id = fixture.job('beside')), 2::bigint,
    'T1: another job''s worklist stays');
CALL fixture.remember();
SELECT throws_ok(
    format('SELECT jobs._end_job(fixture.job(), %L, %L)', s.state, s.code), 'KH500', NULL,
    'C3: a terminal state is reached once: ' || s.state)
FROM (VALUES ('failed', 'storage_full'), ('succeeded', NULL), ('cancelled', NULL)) AS s (state, code);
SELECT ok(fixture.unchanged(), 'C3: with one event');

SELECT is(
    jobs._end_job(fixture.job('beside'), 'cancelled', p_actor => fixture.id('ben'), p_address => '192.0.2.9')::text, '',
    'a queued job is cancelled');
SELECT ok(
    (SELECT j.cancel_requested_at = j.finished_at FROM jobs_store.job AS j WHERE j.id = fixture.job('beside')),
    'C2: the request is of the same time');
SELECT results_eq(
    $$SELECT a.by, a.actor_name, a.address, a.detail FROM jobs_store.audit_event AS a WHERE a.event = 'job.cancelled'$$,
    $$VALUES ('user', 'Ben', '192.0.2.9'::inet, '{}'::jsonb)$$, 'U1: by whom and from where');
CALL fixture.start('archive', '{"kind": "archive"}');
SELECT is(
    jobs._end_job(fixture.job('archive'), 'succeeded', p_result => '{"bytes": 7}', p_worker => 'w')::text, '',
        'a job with a result');
SELECT is(fixture.snapshot('archive') -> 'result', '{"bytes": 7}', 'T1: keeps it');

SELECT * FROM finish();
ROLLBACK;
