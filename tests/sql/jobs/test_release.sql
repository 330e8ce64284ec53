BEGIN;
SELECT plan(27);
CALL fixture.world();
UPDATE jobs_store.setting AS s SET value = 100 WHERE s.name LIKE 'MaxPending%';

CREATE FUNCTION pg_temp.release(p_key text DEFAULT 'job') RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', r.outcome, r.snapshot::jsonb ->> 'state', r.snapshot::jsonb ->> 'attempt')
    FROM jobs.release(fixture.job(p_key), fixture.lease(p_key)) AS r;
$$;
CALL fixture.start();
SELECT is(fixture.advance('job', 1), 'continue', 'a step');
SELECT is(pg_temp.release(), 'queued queued 0', 'E5: a claim that is given back is not charged');
SELECT is(fixture.progress(), '1/3 1+0+0', 'what was done stays');
SELECT is(fixture.version(), 4::bigint, 'V1: the version rose');
SELECT is(fixture.events(), 'queued by user, claimed by worker, released by worker', 'U1: one event tells of it');
SELECT throws_ok($$SELECT pg_temp.release()$$, 'KH423', NULL, 'E4: it is given back once');

-- Ten drains in a row.
CREATE FUNCTION pg_temp.drain() RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', fixture.claim(), pg_temp.release());
$$;
SELECT is(pg_temp.drain(), 'job queued queued 0', 'E5: a drain costs no attempt, number ' || n)
FROM generate_series(1, 10) AS n;

-- An expired claim is charged, a release takes only its own back.
SELECT is(fixture.claim(), 'job', 'a claim');
CALL fixture.expire();
SELECT is(fixture.claim(), 'job', 'that is lost');
SELECT is(pg_temp.release(), 'queued queued 1', 'E5: stays charged when the next one is given back');
SELECT is(fixture.claim(), 'job', 'claimed again');
SELECT is(fixture.snapshot() -> 'attempt', '2', 'E5: it is the second attempt');
SELECT is(fixture.advance('job'), 'ended', 'which ends it');
SELECT is(fixture.state() || ' ' || fixture.progress(), 'succeeded 3/3 3+0+0', 'E3: no page was done twice');

-- What wins over a release.
CALL fixture.start('asked');
SELECT is(fixture.cancel('asked'), 'asked', 'asked to stop');
SELECT is(pg_temp.release('asked'), 'cancelled cancelled 1', 'C3: a release never leaves a request queued');
CALL fixture.start('revoked', fixture.tagging(), 'ben');
CALL fixture.revoke('ben');
SELECT is(pg_temp.release('revoked'), 'failed failed 1', 'E1: nor a job whose actor lost the right');
SELECT is(fixture.failure('revoked'), 'actor_not_authorised', 'E1: it failed for that');

SELECT * FROM finish();
ROLLBACK;
