BEGIN;
SELECT plan(28);
CALL fixture.world();
CALL fixture.start('held');
CALL fixture.queue('queued');

SELECT lives_ok(
    $$SELECT jobs._hold(fixture.job('held'), fixture.lease('held'))$$, 'E4: the holder of the current lease may go on');
SELECT throws_ok(
    format('SELECT jobs._hold(%L, %L)', v.job, v.lease), 'KH423', format('the lease of job %s is lost', v.job),
    'E4: ' || v.claim)
FROM (VALUES
    (fixture.job('held'), gen_random_uuid(), 'another lease is refused'),
    (fixture.job('held'), NULL, 'no lease is none'),
    (fixture.job('queued'), fixture.lease('held'), 'a lease of another job is none'),
    (fixture.job('queued'), NULL, 'nobody holds a queued job')) AS v (job, lease, claim);
SELECT throws_ok(
    format('SELECT jobs._hold(%L, %L)', fixture.id('none'), fixture.lease('held')), 'KH423', NULL,
    'E4: nor a job that does not exist');
SELECT throws_ok(
    format('SELECT jobs._hold(NULL, %L)', fixture.lease('held')), 'KH423', NULL, 'E4: nor no job');

UPDATE jobs_store.job AS j SET lease_until = clock_timestamp() WHERE j.state = 'running';
CALL fixture.remember();
SELECT throws_ok(v.call, 'KH423', NULL, 'E4: a lease that is over is refused: ' || v.call)
FROM (VALUES
    ('SELECT jobs._hold(fixture.job(''held''), fixture.lease(''held''))'),
    ('SELECT jobs.advance(fixture.job(''held''), fixture.lease(''held''))'),
    ('SELECT jobs.renew(fixture.job(''held''), fixture.lease(''held''))'),
    ('SELECT jobs.save_progress(fixture.job(''held''), fixture.lease(''held''), 2, 3, 0)'),
    ('SELECT jobs.finish(fixture.job(''held''), fixture.lease(''held''))'),
    ('SELECT jobs.finish(fixture.job(''held''), fixture.lease(''held''), NULL, ''worker_error'')'),
    ('SELECT jobs.release(fixture.job(''held''), fixture.lease(''held''))')) AS v (call);
SELECT ok(fixture.unchanged(), 'E4: and changes nothing, not even its own lease');

-- After another took the job over.
CREATE TEMPORARY TABLE former ON COMMIT DROP AS SELECT fixture.job('held') AS job, fixture.lease('held') AS lease;
SELECT is(fixture.claim('second'), 'held', 'the job is reclaimed');
CALL fixture.remember();
SELECT throws_ok(v.call, 'KH423', NULL, 'E4: the former holder is refused: ' || v.call)
FROM (VALUES
    ('SELECT jobs.advance(f.job, f.lease) FROM former AS f'),
    ('SELECT jobs.renew(f.job, f.lease) FROM former AS f'),
    ('SELECT jobs.save_progress(f.job, f.lease, 3, 3, 0) FROM former AS f'),
    ('SELECT jobs.finish(f.job, f.lease) FROM former AS f'),
    ('SELECT jobs.finish(f.job, f.lease, NULL, ''worker_error'') FROM former AS f'),
    ('SELECT jobs.release(f.job, f.lease) FROM former AS f')) AS v (call);
SELECT ok(fixture.unchanged(), 'E4: and changes nothing');
SELECT is(fixture.advance('held', 1), 'continue', 'E4: while the present one works');

-- After it gave the job back, and after the job ended.
UPDATE former AS f SET lease = fixture.lease('held');
SELECT is(r.outcome, 'queued', 'the claim is given back') FROM former AS f, jobs.release(f.job, f.lease) AS r;
SELECT throws_ok(
    $$SELECT jobs.advance(f.job, f.lease) FROM former AS f$$, 'KH423', NULL,
        'E4: who gave a job back holds it no more');
SELECT is(fixture.cancel('held'), 'ok', 'the job is cancelled');
SELECT throws_ok(
    $$SELECT jobs._hold(f.job, f.lease) FROM former AS f$$, 'KH423', NULL, 'E4: nobody holds a terminal job');

SELECT * FROM finish();
ROLLBACK;
