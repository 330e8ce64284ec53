BEGIN;
SELECT plan(17);
CALL fixture.world();
CALL fixture.start('job', '{"kind": "archive"}');

CREATE FUNCTION pg_temp.save(p_version bigint, p_total integer, p_processed integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_answer record;
BEGIN
    SELECT * INTO v_answer FROM jobs.save_progress(fixture.job(), fixture.lease(), p_version, p_total,
        p_processed) AS s;
    RETURN concat_ws(' ', v_answer.outcome, v_answer.version, v_answer.stop_requested, fixture.progress(),
        v_answer.snapshot = jobs._snapshot(fixture.job()));
END;
$$;
UPDATE jobs_store.job AS j SET lease_until = clock_timestamp() + interval '1 second';
SELECT is(
    pg_temp.save(2, 10, 0), 'ok 3 f 0/10 0+0+0 t', 'V2: a save with the present version is taken, the version rises');
SELECT ok(
    (SELECT j.lease_until > clock_timestamp() + interval '29 seconds' FROM jobs_store.job AS j),
        'E4: it renews the lease');
SELECT is(pg_temp.save(3, 10, 0), 'ok 3 f 0/10 0+0+0 t', 'V1: nothing new leaves the version');
SELECT is(
    pg_temp.save(3, 10, 4), 'ok 4 f 4/10 0+0+0 t',
    'E3: a handler''s items are processed, not changed, skipped or failed');
CALL fixture.remember();
SELECT is(
    pg_temp.save(3, 10, 5), 'version_mismatch 4 f 4/10 0+0+0 t',
    'V2: a save with an old version is refused with the current snapshot');
SELECT is(pg_temp.save(5, 10, 5), 'version_mismatch 4 f 4/10 0+0+0 t', 'V2: one with a version to come, too');
SELECT is(pg_temp.save(NULL, 10, 5), 'version_mismatch 4 f 4/10 0+0+0 t', 'V2: and one without');
SELECT ok(fixture.unchanged(), 'V2: and changes nothing');
SELECT is(fixture.cancel(), 'asked', 'asked to stop');
SELECT is(
    pg_temp.save(4, 10, 5), 'version_mismatch 5 t 4/10 0+0+0 t',
    'V2: a request raises the version, the next save sees it');
SELECT is(pg_temp.save(5, 10, 5), 'ok 6 t 5/10 0+0+0 t', 'V2: and a retry');
SELECT ok((SELECT j.cancel_requested_at IS NOT NULL FROM jobs_store.job AS j), 'V2: keeps the request');
SELECT is(
    pg_temp.save(6, 0, 0), 'ok 7 t 0/0 0+0+0 t', 'E3: a handler that begins anew counts from 0, the version rises');
SELECT throws_ok($$SELECT pg_temp.save(7, 3, 4)$$, '23514', NULL, 'E3: more than all is refused');
-- A job of items is moved by jobs.advance alone.
CALL fixture.start('items');
SELECT throws_ok(
    $$SELECT jobs.save_progress(fixture.job('items'), fixture.lease('items'), fixture.version('items'), 3, 0)$$,
    'KH500', NULL, 'E3: no handler overwrites the outcomes of items');

UPDATE jobs_store.job AS j SET cancel_requested_at = NULL;
CALL fixture.revoke('ada');
SELECT is(pg_temp.save(7, 10, 1), 'ok 8 t 1/10 0+0+0 t', 'E1: the handler learns of lost rights');
CALL fixture.expire();
SELECT throws_ok($$SELECT pg_temp.save(8, 10, 2)$$, 'KH423', NULL, 'E4: without the lease nothing is saved');

SELECT * FROM finish();
ROLLBACK;
