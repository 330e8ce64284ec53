BEGIN;
SELECT plan(13);
CALL fixture.world();
UPDATE jobs_store.setting AS s SET value = 100 WHERE s.name LIKE 'MaxPending%';
CALL fixture.back_up('first');
CALL fixture.back_up('second', p_who => 'ben');
CALL fixture.queue('queued', '{"kind": "backup"}');
CALL fixture.start('failed', '{"kind": "archive"}');
SELECT is((SELECT d.outcome FROM jobs.delete_archive(fixture.job('first')) AS d), 'ok', 'an archive is deleted');

SELECT is(
    concat_ws(' ', l.outcome, l.detail, jsonb_array_length(l.body::jsonb -> 'backups')), v.expected, v.claim)
FROM (VALUES
    ('ada', 'main', 'ok 2', 'an administrator sees the backups of the workspace that succeeded'),
    ('stranger', 'other', 'ok 0', 'of each its own'),
    ('editor', 'main', 'not_administrator', 'an editor sees none'),
    ('reader', 'main', 'not_administrator', 'a reader sees none'),
    ('lapsed', 'main', 'not_administrator', 'nor does a disabled member'),
    ('stranger', 'main', 'not_found', 'a workspace of others is not there'),
    ('nobody', 'main', 'unauthenticated', 'without a session')) AS v (who, place, expected, claim),
    LATERAL jobs.list_backups(fixture.session(v.who), fixture.id(v.place), NULL, 50) AS l;
SELECT is(
    l.body::jsonb #> '{backups,0}',
    jsonb_build_object(
        'job_id', fixture.job('second'), 'actor', jsonb_build_object('id', fixture.id('ben'), 'name', 'Ben'),
        'created_at', fixture.snapshot('second') -> 'created_at',
        'finished_at', fixture.snapshot('second') -> 'finished_at', 'archive', fixture.archive('second'), 'bytes', 7,
        'pages', 3, 'sha256', repeat('a', 64), 'deleted_at', NULL),
    'the newest comes first')
FROM jobs.list_backups(fixture.session('ada'), fixture.id('main'), NULL, 50) AS l;
SELECT is(
    l.body::jsonb #>> '{backups,1,deleted_at}',
    (SELECT hub._utc(d.deleted_at) FROM jobs_store.archive_deletion AS d), 'it says when an archive was deleted')
FROM jobs.list_backups(fixture.session('ada'), fixture.id('main'), NULL, 50) AS l;
SELECT is(
    l.body::jsonb #>> '{next_cursor}' || jsonb_array_length(l.body::jsonb -> 'backups'), fixture.job('second') || '1',
    'as many as wanted')
FROM jobs.list_backups(fixture.session('ada'), fixture.id('main'), NULL, 1) AS l;
SELECT is(
    concat(l.body::jsonb #>> '{backups,0,job_id}', l.body::jsonb ->> 'next_cursor'), fixture.job('first')::text,
    'and on from there')
FROM jobs.list_backups(fixture.session('ada'), fixture.id('main'), fixture.job('second')::text, 1) AS l;
SELECT is(l.outcome || (l.detail #>> '{errors,0,pointer}'), 'invalid/cursor', 'a wrong cursor is refused')
FROM jobs.list_backups(fixture.session('ada'), fixture.id('main'), 'x', 50) AS l;

SELECT * FROM finish();
ROLLBACK;
