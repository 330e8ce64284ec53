BEGIN;
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
SELECT plan(9);
CALL fixture.world();
CALL fixture.run_backup();
CALL fixture.run_backup('archive', 'archive');

CREATE FUNCTION pg_temp.workspace(p_job uuid, p_lease uuid) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN jobs._workspace_of_backup(p_job, p_lease);
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END;
$$;
SELECT is(
    pg_temp.workspace(fixture.job(), fixture.lease()), fixture.id('main')::text, 'the holder of a backup''s lease reads');
SELECT is(pg_temp.workspace(fixture.job(), gen_random_uuid()), 'KH423', 'E4: not with another lease');
SELECT is(pg_temp.workspace(fixture.job(), NULL), 'KH423', 'E4: nor without one');
SELECT is(pg_temp.workspace(gen_random_uuid(), fixture.lease()), 'KH423', 'E4: nor for another job');
SELECT is(
    pg_temp.workspace(fixture.job('archive'), fixture.lease('archive')), 'KH423', 'nor for a job of another kind');
UPDATE jobs_store.setting AS s SET value = 60 WHERE s.name = 'MaxBackupSeconds';
SELECT is(
    pg_temp.workspace(fixture.job(), fixture.lease()), fixture.id('main')::text, 'it may take MaxBackupSeconds');
UPDATE jobs_store.setting AS s SET value = 0, minimum = 0 WHERE s.name = 'MaxBackupSeconds';
SELECT is(pg_temp.workspace(fixture.job(), fixture.lease()), 'KH408', 'and no longer');
SELECT throws_like(
    'SELECT jobs._workspace_of_backup(fixture.job(), fixture.lease())', '%MaxBackupSeconds%', 'the error names the setting');
UPDATE jobs_store.job AS j SET state = 'queued', attempt = 0, lease = NULL, lease_until = NULL, lease_seconds = NULL,
    worker = NULL WHERE j.idempotency_key = 'job';
SELECT is(pg_temp.workspace(fixture.job(), fixture.lease()), 'KH423', 'E4: a job that is not running has no lease');

SELECT * FROM finish();
ROLLBACK;
