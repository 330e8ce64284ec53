BEGIN;
SELECT plan(13);
CALL fixture.world();
UPDATE jobs_store.setting AS s SET value = 100 WHERE s.name LIKE 'MaxPending%';
CALL fixture.back_up('done');
CALL fixture.back_up('deleted');
SELECT is((SELECT d.outcome FROM jobs.delete_archive(fixture.job('deleted')) AS d), 'ok', 'an archive is deleted');
CALL fixture.queue('failed', '{"kind": "backup"}');
SELECT is(fixture.claim(p_kinds => '{backup}'), 'failed', 'a backup runs');
SELECT is(
    (SELECT f.outcome FROM jobs.finish(fixture.job('failed'), fixture.lease('failed'), NULL, 'storage_full') AS f),
    'failed', 'and fails');
CALL fixture.queue('running', '{"kind": "backup"}');
SELECT is(fixture.claim(p_kinds => '{backup}'), 'running', 'another runs');
CALL fixture.queue('queued', '{"kind": "backup"}');
CALL fixture.queue('tagging');
SELECT is(fixture.cancel('tagging'), 'ok', 'a job of another kind ends');

CREATE FUNCTION pg_temp.may_go(VARIADIC p_names text[]) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM jobs.judge_archives(p_names) AS j WHERE j.name = ANY (p_names);
$$;
SELECT is(pg_temp.may_go(fixture.archive('done')), 0::bigint, 'the archive of a backup stays');
SELECT is(
    pg_temp.may_go(fixture.archive('done', repeat('0', 16)), fixture.archive('done', repeat('f', 16))), 2::bigint,
    'what its other claims left may go');
SELECT is(pg_temp.may_go(fixture.archive('deleted')), 1::bigint, 'so may an archive that was deleted');
SELECT is(pg_temp.may_go(fixture.archive('failed')), 1::bigint, 'and what a backup left that failed');
SELECT is(pg_temp.may_go(fixture.archive('running')), 0::bigint, 'what a running job writes stays');
SELECT is(pg_temp.may_go(fixture.archive('queued')), 0::bigint, 'and what one left that is to run again');
SELECT is(
    pg_temp.may_go(
        gen_random_uuid() || '.0123456789abcdef.zip', fixture.archive('tagging'), fixture.job('failed') || '.zip',
        fixture.archive('failed', '0123'), fixture.archive('failed') || '.old', 'x', ''),
    0::bigint, 'what is of no backup of this database stays');
SELECT is((SELECT count(*) FROM jobs.judge_archives('{}') AS j), 0::bigint, 'no file, no answer');

SELECT * FROM finish();
ROLLBACK;
