BEGIN;
SELECT plan(24);
CALL fixture.world();
UPDATE jobs_store.setting AS s SET value = 100 WHERE s.name LIKE 'MaxPending%';
CALL fixture.back_up('done');
CALL fixture.back_up('deleted');
SELECT is((SELECT d.outcome FROM jobs.delete_archive(fixture.job('deleted')) AS d), 'ok', 'an archive is deleted');
CALL fixture.queue('queued', '{"kind": "backup"}');
CALL fixture.start('tagging');
SELECT is(fixture.advance('tagging'), 'ended', 'a tagging ends');

CREATE FUNCTION pg_temp.download(
    p_who text DEFAULT 'ada', p_workspace text DEFAULT 'main', p_key text DEFAULT 'done',
    p_address inet DEFAULT '192.0.2.1'
)
RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', d.outcome, d.detail)
    FROM jobs.download_archive(fixture.session(p_who), fixture.id(p_workspace), fixture.job(p_key), p_address) AS d;
$$;
CREATE FUNCTION pg_temp.downloads() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', a.actor_name, a.by, host(a.address), a.detail), ', ' ORDER BY a.id)
    FROM jobs_store.audit_event AS a
    WHERE a.event = 'backup.downloaded';
$$;
CALL fixture.remember();
SELECT is(pg_temp.download(v.who, v.place, v.key), v.expected, v.claim)
FROM (VALUES
    ('editor', 'main', 'done', 'not_administrator', 'not for an editor'),
    ('reader', 'main', 'done', 'not_administrator', 'not for a reader'),
    ('lapsed', 'main', 'done', 'not_administrator', 'not for a disabled member'),
    ('stranger', 'main', 'done', 'not_found', 'a workspace of others is not there'),
    ('stranger', 'other', 'done', 'not_found', 'nor is a backup of another workspace'),
    ('nobody', 'main', 'done', 'unauthenticated', 'without a session'),
    ('ada', 'main', 'none', 'not_found', 'a job that does not exist'),
    ('ada', 'main', 'queued', 'not_found', 'a backup that did not succeed has no archive'),
    ('ada', 'main', 'tagging', 'not_found', 'nor has a job of another kind'),
    ('ada', 'main', 'deleted', 'archive_gone', 'an archive that was deleted')) AS v (who, place, key, expected, claim);
SELECT ok(fixture.unchanged(), 'and nothing of that is recorded');

SELECT is(
    pg_temp.download(),
    text 'ok ' || jsonb_build_object(
        'archive', fixture.archive('done'), 'bytes', 7, 'sha256', repeat('a', 64),
        'finished_at', fixture.snapshot('done') -> 'finished_at'), 'which archive it is');
SELECT is(pg_temp.downloads(), 'Ada user 192.0.2.1 {}', 'U1: the event says who, and from where');
SELECT alike(pg_temp.download(), 'ok %', 'another section');
SELECT is(pg_temp.downloads(), 'Ada user 192.0.2.1 {}', 'is of the same download');
SELECT alike(pg_temp.download('ben'), 'ok %', 'another administrator');
SELECT alike(pg_temp.download(p_address => '192.0.2.9'), 'ok %', 'another address');
SELECT alike(pg_temp.download(p_address => NULL), 'ok %', 'an unknown one');
SELECT alike(pg_temp.download(p_address => NULL), 'ok %', 'the same');
SELECT is(
    pg_temp.downloads(),
    'Ada user 192.0.2.1 {}, Ben user 192.0.2.1 {}, Ada user 192.0.2.9 {}, Ada user {}', 'each of them is one event');
SET LOCAL session_replication_role = replica;
ALTER TABLE jobs_store.audit_event DISABLE TRIGGER audit_event_is_append_only;
UPDATE jobs_store.audit_event AS a SET at = a.at - interval '60 seconds' WHERE a.event = 'backup.downloaded';
SELECT alike(pg_temp.download(), 'ok %', 'a minute later');
SELECT alike(pg_temp.downloads(), '%, Ada user 192.0.2.1 {}', 'it is a download of its own');

SELECT * FROM finish();
ROLLBACK;
