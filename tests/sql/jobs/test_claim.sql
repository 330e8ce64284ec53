BEGIN;
SELECT plan(44);
CALL fixture.world();

SELECT is_empty($$SELECT * FROM jobs.claim('w', '{course_tagging,archive}')$$, 'there is nothing to claim');

-- A first claim.
CALL fixture.queue();
CALL fixture.remember();
SELECT is(fixture.claim('w', v.kinds), NULL, 'E6: a worker claims only kinds it can run: ' || v.kinds::text)
FROM (VALUES ('{archive}'::text[]), ('{}'), ('{course,COURSE_TAGGING}'), ('{NULL}')) AS v (kinds);
SELECT is(fixture.claim('w', NULL), NULL, 'E6: nor without any kinds');
SELECT ok(fixture.unchanged(), 'E6: and changes nothing');
CREATE TEMPORARY TABLE claimed ON COMMIT DROP AS SELECT * FROM jobs.claim('host:1', '{archive,course_tagging}');
SELECT results_eq(
    $$SELECT c.job_id, c.lease, c.kind, c.lease_seconds, c.attempt FROM claimed AS c$$,
    $$VALUES (fixture.job(), fixture.lease(), 'course_tagging', 30, 1)$$, 'a claim says all a worker needs');
SELECT results_eq(
    $$SELECT j.state, j.version, j.worker, j.attempt FROM jobs_store.job AS j$$,
    $$VALUES ('running', 2::bigint, 'host:1', 1)$$, 'E5: the job runs, its attempt is counted, V1: its version rose');
SELECT is(
    (SELECT j.lease_until - clock_timestamp() BETWEEN '29 seconds' AND '30 seconds'
        AND j.started_at <= clock_timestamp()
     FROM jobs_store.job AS j),
    true, 'the lease lasts LeaseSeconds from now on');
SELECT results_eq(
    $$SELECT a.event, a.by, a.worker, a.actor_id, a.address, a.detail
      FROM jobs_store.audit_event AS a WHERE a.event <> 'job.queued'$$,
    $$VALUES ('job.claimed', 'worker', 'host:1', NULL::uuid, NULL::inet, '{"attempt": 1}'::jsonb)$$,
    'U1: one event says who claimed it');
SELECT is(fixture.claim(), NULL, 'a job that runs is not claimed again');

-- A lease that is over.
UPDATE jobs_store.setting AS s SET value = 5 WHERE s.name = 'LeaseSeconds';
SELECT is(fixture.advance('job', 1), 'continue', 'a step');
UPDATE jobs_store.job AS j SET page_locked_since = clock_timestamp();
CREATE TEMPORARY TABLE was ON COMMIT DROP AS SELECT j.lease, j.version, j.started_at FROM jobs_store.job AS j;
CALL fixture.expire();
SELECT is(fixture.claim('w', '{archive}'), NULL, 'E6: nor is a lease that is over taken by who cannot run the kind');
SELECT results_eq(
    $$SELECT c.lease <> (SELECT w.lease FROM was AS w), c.lease_seconds, c.attempt
      FROM jobs.claim('host:2', '{course_tagging}') AS c$$,
    $$VALUES (true, 5, 2)$$, 'E5: an expired lease is reclaimed: another lease, another attempt');
SELECT results_eq(
    $$SELECT j.state, j.worker, j.version - w.version, j.started_at = w.started_at, j.page_locked_since
      FROM jobs_store.job AS j, was AS w$$,
    $$VALUES ('running', 'host:2', 1::bigint, true, NULL::timestamptz)$$,
    'the former claim left nothing but when it started');
SELECT is(fixture.progress(), '1/3 1+0+0', 'E3: and what it did');
SELECT is(fixture.events(), 'queued by user, claimed by worker, reclaimed by worker', 'U1: one event tells of it');
SELECT throws_ok(
    $$SELECT jobs.renew(fixture.job(), (SELECT w.lease FROM was AS w))$$, 'KH423', NULL,
        'E4: the former holder is refused');

-- Who is not claimed again.
CALL fixture.expire();
UPDATE jobs_store.job AS j SET attempt = 3;
SELECT is(fixture.claim(), NULL, 'E5: after MaxAttempts claims there is no other');
UPDATE jobs_store.job AS j SET attempt = 2;
UPDATE jobs_store.job AS j SET cancel_requested_at = clock_timestamp();
SELECT is(fixture.claim(), NULL, 'C3: a job that was asked to stop is not claimed again');
SELECT is(fixture.cancel(), 'ok', 'it is cancelled');
SELECT is(fixture.claim(), NULL, 'a terminal job is not claimed');

-- A kind without outcomes per item begins anew.
CALL fixture.start('archive', '{"kind": "archive"}');
SELECT is(s.outcome, 'ok', 'progress of a handler')
FROM jobs.save_progress(fixture.job('archive'), fixture.lease('archive'), fixture.version('archive'), 9, 4) AS s;
SELECT is(fixture.version('archive') || ' ' || fixture.progress('archive'), '3 4/9 0+0+0', 'E3: is saved');
CALL fixture.expire('archive');
SELECT is(fixture.claim(), 'archive', 'its lease is over');
SELECT is(
    fixture.version('archive') || ' ' || fixture.progress('archive'), '4 0/0 0+0+0',
    'E3: the next claim starts at 0, with a higher version');
SELECT is(f.outcome, 'succeeded', 'it ends') FROM jobs.finish(fixture.job('archive'), fixture.lease('archive')) AS f;

-- Whose turn it is.
INSERT INTO jobs_store.job
    (workspace_id, kind, itemised, actor_id, actor_name, idempotency_key, request, labels, max_attempts, notified_at,
     created_at)
SELECT fixture.id(v.place), v.kind, v.kind <> 'archive', fixture.id('ada'), 'Ada', v.key, '{}', '{}', 3, now(),
       clock_timestamp() - make_interval(mins => v.age)
FROM (VALUES
    ('main', 'archive', 'm0', 60),
    ('main', 'course_tagging', 'm1', 50), ('main', 'course_tagging', 'm2', 40), ('main', 'course_tagging', 'm3', 30),
    ('other', 'course_tagging', 'o1', 20), ('other', 'course_tagging', 'o2', 10)) AS v (place, kind, key, age);
SELECT is(fixture.claim('w', '{course_tagging}'), v.key, 'E6: ' || v.claim)
FROM (VALUES
    ('m1', 'the oldest of its kinds, where no workspace has any running'),
    ('o1', 'then the workspace with none running, though its job is younger'),
    ('m2', 'one running in each: the oldest'),
    ('o2', 'then the workspace with fewer running')) AS v (key, claim);
CALL fixture.expire('m2', '1 second');
CALL fixture.expire('o1', '2 seconds');
SELECT is(
    fixture.claim(), 'o1', 'E6: leases that are over first, the one that is over for longest, however young');
SELECT is(fixture.claim(), 'm2', 'E6: then the next of them, in whichever workspace');
SELECT is(fixture.claim(), 'm0', 'E6: then what is queued');
SELECT is(fixture.claim(), 'm3', 'E6: to the last');
SELECT is(fixture.claim(), NULL, 'E6: and no further');

-- One at a time, whatever the plan is.
UPDATE jobs_store.setting AS s SET value = 1000 WHERE s.name LIKE 'Max%';
CALL fixture.fill(30, 'ben', 'queued', '1 minute');
SET LOCAL enable_indexscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_hashjoin = off;
SET LOCAL enable_mergejoin = off;
SET LOCAL enable_sort = off;
SELECT is(count(c.job_id), 1::bigint, 'one row is claimed') FROM jobs.claim('nested', '{course_tagging}') AS c;
SELECT is(count(*), 1::bigint, 'and one row is changed') FROM jobs_store.job AS j WHERE j.worker = 'nested';
UPDATE jobs_store.job AS j SET lease_until = clock_timestamp() WHERE j.state = 'running';
SET LOCAL enable_nestloop = off;
SET LOCAL enable_seqscan = off;
SELECT is(
    count(c.job_id), 1::bigint, 'of those whose lease is over, too') FROM jobs.claim('odd', '{course_tagging}') AS c;
SELECT is(count(*), 1::bigint, 'one row is changed') FROM jobs_store.job AS j WHERE j.worker = 'odd';
RESET enable_indexscan;
RESET enable_bitmapscan;
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_sort;
RESET enable_nestloop;
RESET enable_seqscan;

-- History costs nothing.
UPDATE jobs_store.job AS j
SET state = 'cancelled', cancel_requested_at = now(), finished_at = now(), lease = NULL, lease_until = NULL, lease_seconds = NULL,
    worker = NULL
WHERE j.finished_at IS NULL;
CALL fixture.fill(5000, 'cyd', 'succeeded', '2 days');
CALL fixture.fill(3, 'cyd', 'queued');
ANALYZE jobs_store.job;
SELECT cmp_ok(
    fixture.reads($$SELECT fixture.claim()$$), '<', 20::bigint, 'E7: a claim does not read 5,000 jobs of the past');
SELECT is(fixture.claim('w', '{archive}'), NULL, 'and when there is nothing for a worker,');
SELECT cmp_ok(
    fixture.reads($$SELECT * FROM jobs.claim('w', '{archive}')$$), '<', 20::bigint, 'E7: neither does it');

SELECT * FROM finish();
ROLLBACK;
