BEGIN;
SELECT plan(33);
CALL fixture.world();
UPDATE jobs_store.setting AS s SET value = 1000 WHERE s.name LIKE 'Max%' AND s.name <> 'MaxAttempts';

SELECT is(jobs.sweep('w'), '{"jobs": 0, "sessions": 0, "sign_ins": 0, "addresses": 0}', 'there is nothing to do');

-- Jobs whose lease is over.
CREATE FUNCTION pg_temp.abandon(p_key text, p_attempt integer, p_cancel boolean, p_who text DEFAULT 'ada')
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    CALL fixture.start(p_key, fixture.tagging(ARRAY[p_key]), p_who);
    PERFORM fixture.advance(p_key, 1);
    IF p_cancel THEN
        PERFORM fixture.cancel(p_key);
    END IF;
    UPDATE jobs_store.job AS j SET attempt = p_attempt WHERE j.id = fixture.job(p_key);
    RETURN '';
END;
$$;
SELECT is(pg_temp.abandon(v.key, v.attempt, v.cancel, v.who), '', 'a worker died: ' || v.key)
FROM (VALUES
    ('first', 1, false, 'ada'), ('exhausted', 3, false, 'ada'), ('asked', 1, true, 'ada'),
        ('asked-exhausted', 3, true, 'ada'),
    ('revoked-exhausted', 3, false, 'ben'), ('holds', 3, false, 'ada')) AS v (key, attempt, cancel, who);
CALL fixture.revoke('ben');
CALL fixture.queue('queued');
SELECT is(jobs.sweep('w') -> 'jobs', '0', 'E4: nobody is swept whose lease is not over');
UPDATE jobs_store.job AS j SET lease_until = clock_timestamp() - interval '1 second'
WHERE j.state = 'running' AND j.idempotency_key <> 'holds';
SELECT is(jobs.sweep('sweeper') -> 'jobs', '4', 'E5: those end that nobody may claim again');
SELECT is(
    concat_ws(' ', fixture.state(v.key), fixture.failure(v.key), fixture.progress(v.key)), v.expected, v.claim)
FROM (VALUES
    ('first', 'running 1/3 1+0+0', 'E5: one with attempts left waits for its next claim'),
    ('exhausted', 'failed attempts_exhausted 1/3 1+0+0', 'E5: one without fails, what it did stays'),
    ('asked', 'cancelled 1/3 1+0+0', 'C3: one that was asked to stop is cancelled'),
    ('asked-exhausted', 'cancelled 1/3 1+0+0', 'C3: a request wins over used up attempts'),
    ('revoked-exhausted', 'failed actor_not_authorised 1/3 1+0+0', 'C3: lost rights too'),
    ('holds', 'running 1/3 1+0+0', 'E4: one that is held goes on'),
    ('queued', 'queued 0/3 0+0+0', 'a queued one is not touched')) AS v (key, expected, claim);
SELECT is(
    fixture.events('exhausted'), 'queued by user, claimed by worker, failed by worker', 'U1: one event for it');
SELECT results_eq(
    $$SELECT a.worker, a.detail FROM jobs_store.audit_event AS a
        WHERE a.job_id = fixture.job('exhausted') AND a.event = 'job.failed'$$,
    $$VALUES ('sweeper', '{"code": "attempts_exhausted"}'::jsonb)$$, 'U1: by the worker that swept');
SELECT results_eq(
    $$SELECT DISTINCT j.idempotency_key FROM jobs_store.worklist AS w JOIN jobs_store.job AS j ON j.id = w.job_id
        ORDER BY 1$$,
    $$VALUES ('first'), ('holds'), ('queued')$$, 'T1: the worklists of those that ended are gone');
SELECT is((SELECT count(*) FROM hub_store.page), 4::bigint, 'T1: no sweep touches pages');
CALL fixture.remember();
SELECT is(jobs.sweep('w') -> 'jobs', '0', 'the next sweep has nothing to do');
SELECT ok(fixture.unchanged(), 'C3: and changes nothing');

-- Bounded.
UPDATE jobs_store.job AS j SET lease_until = clock_timestamp() WHERE j.idempotency_key = 'holds';
INSERT INTO jobs_store.job
    (workspace_id, kind, itemised, state, actor_id, actor_name, idempotency_key, request, labels, max_attempts, attempt,
     lease, lease_until, lease_seconds, worker, started_at, notified_at, created_at)
SELECT fixture.id('main'), 'archive', false, 'running', fixture.id('ada'), 'Ada', 'many' || n, '{}', '{}', 3, 3,
       gen_random_uuid(), now() - interval '1 second', 30, 'w', now(), now(), now()
FROM generate_series(1, 100) AS n;
SELECT is(jobs.sweep('w') -> 'jobs', '100', 'a sweep ends at most 100 jobs, the longest over first');
SELECT is(fixture.state('holds'), 'running', 'the rest waits');
SELECT is(jobs.sweep('w') -> 'jobs', '1', 'for the next');

-- Sessions and addresses.
UPDATE hub_store.session AS s SET last_seen_at = clock_timestamp() - interval '30 minutes'
    WHERE s.user_id = fixture.id('ada');
UPDATE hub_store.session AS s SET created_at = clock_timestamp() - interval '12 hours'
    WHERE s.user_id = fixture.id('ben');
UPDATE hub_store.session AS s SET last_seen_at = clock_timestamp() - interval '29 minutes 50 seconds'
    WHERE s.user_id = fixture.id('cyd');
INSERT INTO jobs_store.request_budget (address, times)
VALUES ('old', ARRAY[clock_timestamp() - interval '1 hour', clock_timestamp() - interval '60 seconds']),
       ('recent', ARRAY[clock_timestamp() - interval '1 hour', clock_timestamp() - interval '50 seconds']);
INSERT INTO hub_store.sign_in_attempt (address) VALUES ('old');
SELECT is(
    jobs.sweep('w'), '{"jobs": 0, "sessions": 2, "sign_ins": 1, "addresses": 1}',
    'sessions that are over and addresses at rest are deleted');
SELECT is_empty(
    $$SELECT FROM hub_store.session AS s WHERE s.user_id IN (fixture.id('ada'), fixture.id('ben'))$$, 'those');
SELECT is((SELECT count(*) FROM hub_store.session), 5::bigint, 'and no other session');
SELECT results_eq(
    $$SELECT b.address FROM jobs_store.request_budget AS b$$, $$VALUES ('recent')$$, 'nor another address');

INSERT INTO jobs_store.request_budget (address, times)
SELECT 'many' || n, ARRAY[clock_timestamp() - interval '1 hour'] FROM generate_series(1, 1001) AS n;
SELECT is(jobs.sweep('w') -> 'addresses', '1000', 'a sweep deletes a thousand addresses at most');
SELECT is(jobs.sweep('w') -> 'addresses', '1', 'the rest is for the next');

-- History costs nothing.
CALL fixture.fill(5000, 'cyd', 'succeeded', '2 days');
ANALYZE jobs_store.job;
SELECT is(jobs.sweep('w') -> 'jobs', '0', 'with 5,000 jobs of the past');
SELECT cmp_ok(fixture.reads($$SELECT jobs.sweep('w')$$), '<', 20::bigint, 'E7: a sweep does not read them');

SELECT * FROM finish();
ROLLBACK;
