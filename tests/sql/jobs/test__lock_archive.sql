BEGIN;
SELECT plan(7);
CALL fixture.world();
UPDATE jobs_store.setting AS s SET value = 100 WHERE s.name LIKE 'MaxPending%';
-- Without the checks of foreign keys, which would lock the jobs.
SET LOCAL session_replication_role = replica;
CALL fixture.back_up('done');
CALL fixture.queue('queued', '{"kind": "backup"}');

CREATE FUNCTION pg_temp.lock(p_key text, p_workspace text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', l.outcome, l.result ->> 'archive' = fixture.archive(p_key), l.finished_at < clock_timestamp())
    FROM jobs._lock_archive(fixture.id(p_workspace), fixture.job(p_key)) AS l;
$$;
SELECT is(pg_temp.lock('done', 'main'), 'ok t t', 'the archive of a backup');
SELECT is(pg_temp.lock('done', NULL), 'ok t t', 'of any workspace');
SELECT is(pg_temp.lock('done', 'other'), 'not_found', 'of another workspace');
SELECT is(pg_temp.lock('queued', 'main'), 'not_found', 'of a backup that did not succeed');
SELECT is(pg_temp.lock('none', 'main'), 'not_found', 'of no job');
INSERT INTO jobs_store.archive_deletion (job_id) VALUES (fixture.job('done'));
SELECT is(pg_temp.lock('done', 'main'), 'archive_gone t t', 'it was deleted');
SELECT results_eq(
    'SELECT j.id FROM jobs_store.job AS j WHERE j.xmax = pg_current_xact_id()::xid', 'SELECT fixture.job(''done'')',
    'the job is locked, and no other');

SELECT * FROM finish();
ROLLBACK;
