BEGIN;
SELECT plan(15);
CALL fixture.world();
UPDATE jobs_store.setting AS s SET value = 100 WHERE s.name LIKE 'MaxPending%';

CREATE FUNCTION pg_temp.finish(p_key text, p_result jsonb DEFAULT NULL, p_code text DEFAULT NULL)
RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', f.outcome, f.snapshot::jsonb ->> 'state', f.snapshot::jsonb -> 'result',
        f.snapshot::jsonb #>> '{failure,code}')
    FROM jobs.finish(fixture.job(p_key), fixture.lease(p_key), p_result, p_code) AS f;
$$;
CALL fixture.start('result', '{"kind": "archive"}');
SELECT is(
    pg_temp.finish('result', '{"bytes": 7}'), 'succeeded succeeded {"bytes": 7}',
        'a handler ends its job with a result');
SELECT is(
    fixture.events('result'), 'queued by user, claimed by worker, succeeded by worker', 'U1: with one event');
CALL fixture.start('none', '{"kind": "archive"}');
SELECT is(pg_temp.finish('none'), 'succeeded succeeded null', 'or without one');
CALL fixture.start('storage_full', '{"kind": "archive"}');
SELECT is(
    pg_temp.finish('storage_full', '{"bytes": 7}', 'storage_full'), 'failed failed null storage_full',
    'or with a failure, and then no result is kept');
CALL fixture.start('unknown', '{"kind": "archive"}');
CALL fixture.remember();
SELECT throws_ok(
    $$SELECT pg_temp.finish('unknown', NULL, E'it''s\u0007')$$, 'KH500', NULL, 'a failure code must be known');
SELECT ok(fixture.unchanged(), 'else nothing changes');

SELECT is(fixture.cancel('unknown'), 'asked', 'asked to stop');
SELECT is(
    pg_temp.finish('unknown', '{"bytes": 7}'), 'cancelled cancelled null',
    'C3: a request wins over success, the result is dropped');
SELECT is(
    fixture.events('unknown'), 'queued by user, claimed by worker, cancel_requested by user, cancelled by worker',
    'U1: with one event');
CALL fixture.start('error', '{"kind": "archive"}');
SELECT is(fixture.cancel('error'), 'asked', 'asked to stop');
SELECT is(pg_temp.finish('error', NULL, 'worker_error'), 'cancelled cancelled null', 'C3: and over failure');
CALL fixture.start('revoked', '{"kind": "archive"}', 'ben');
CALL fixture.revoke('ben', 'user');
SELECT is(
    pg_temp.finish('revoked', '{"bytes": 7}'), 'failed failed null actor_not_authorised',
        'E1: lost rights win over success');

-- A tagging cannot be called done.
CALL fixture.start('tagging');
SELECT throws_ok(
    $$SELECT pg_temp.finish('tagging')$$, '23514', NULL, 'E3: a tagging with pages to visit does not succeed');
SELECT is(pg_temp.finish('tagging', NULL, 'worker_error'), 'failed failed null worker_error', 'but it can fail');
SELECT throws_ok(
    $$SELECT pg_temp.finish('tagging', NULL, 'worker_error')$$, 'KH423', NULL, 'C3: a job ends once');

SELECT * FROM finish();
ROLLBACK;
