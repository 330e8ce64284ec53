BEGIN;
SELECT plan(10);
CALL fixture.world();
UPDATE jobs_store.setting AS s SET value = 100 WHERE s.name LIKE 'MaxPending%';
CALL fixture.back_up('done');
CALL fixture.queue('queued', '{"kind": "backup"}');
CALL fixture.start('tagging');
SELECT is(fixture.advance('tagging'), 'ended', 'a tagging ends');

CREATE FUNCTION pg_temp.delete(p_key text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', d.outcome, d.detail) FROM jobs.delete_archive(fixture.job(p_key)) AS d;
$$;
CALL fixture.remember();
SELECT is(pg_temp.delete('none'), 'not_found', 'a job that does not exist');
SELECT is(pg_temp.delete('queued'), 'not_found', 'a backup that did not succeed has no archive');
SELECT is(pg_temp.delete('tagging'), 'not_found', 'nor has a job of another kind');
SELECT ok(fixture.unchanged(), 'nothing is recorded');
SELECT is(
    pg_temp.delete('done'), text 'ok ' || jsonb_build_object('archive', fixture.archive('done')), 'an archive is deleted');
SELECT is(
    pg_temp.delete('done'), text 'archive_gone ' || jsonb_build_object('archive', fixture.archive('done')), 'once');
SELECT is(
    fixture.events('done'), 'queued by user, claimed by worker, succeeded by worker, up.deleted by operator',
    'U1: with one event');
SELECT is(fixture.snapshot('done') #>> '{result,archive}', fixture.archive('done'), 'the job keeps its result');
SELECT ok(
    (SELECT d.deleted_at BETWEEN now() AND clock_timestamp() FROM jobs_store.archive_deletion AS d
     WHERE d.job_id = fixture.job('done')), 'and when it was deleted is known');

SELECT * FROM finish();
ROLLBACK;
