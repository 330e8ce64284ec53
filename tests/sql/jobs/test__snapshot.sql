BEGIN;
SELECT plan(16);
CALL fixture.world();
CALL fixture.queue();

SELECT is(jobs._snapshot(gen_random_uuid()), NULL, 'no job, no snapshot');

-- Every member, with every time set.
UPDATE jobs_store.job AS j
SET state = 'failed', version = 9, total = 7, processed = 6, changed = 1, skipped = 2, failed = 3, attempt = 2,
    failure = jobs._failure('worker_error'), created_at = '2020-01-02 03:04:05.000006+00',
    started_at = '2020-01-02 03:04:05.1+02', cancel_requested_at = '2020-12-31 23:59:59.999999-03',
    finished_at = '2021-02-03 04:05:06+00';
SELECT is(
    jobs._snapshot(fixture.job())::jsonb,
    jsonb_build_object(
        'id', fixture.job(), 'workspace_id', fixture.id('main'), 'kind', 'course_tagging', 'state', 'failed',
        'terminal', true, 'version', 9, 'actor', jsonb_build_object('id', fixture.id('ada'), 'name', 'Ada'),
        'request', jsonb_build_object('course_id', fixture.id('course'), 'course_title', 'Course', 'tags',
            '{New}'::text[]),
        'progress', '{"total": 7, "processed": 6, "changed": 1, "skipped": 2, "failed": 3}'::jsonb, 'errors',
            '[]'::jsonb,
        'failure', '{"code": "worker_error",
            "message": "The worker met an error it did not expect. Ask who runs the system."}'::jsonb,
        'result', NULL, 'attempt', 2, 'max_attempts', 3,
        'cancel_requested_at', '2021-01-01T02:59:59.999999Z', 'created_at', '2020-01-02T03:04:05.000006Z',
        'started_at', '2020-01-02T01:04:05.100000Z', 'finished_at', '2021-02-03T04:05:06.000000Z'),
    'V3: all that clients see, times in UTC with microseconds');

-- The same bytes for the same version, whatever the connection is set to.
CREATE TEMPORARY TABLE snapshot ON COMMIT DROP AS SELECT jobs._snapshot(fixture.job()) AS body;
SET LOCAL timezone = 'Asia/Kathmandu';
SET LOCAL datestyle = 'SQL, DMY';
SET LOCAL intervalstyle = 'iso_8601';
SET LOCAL extra_float_digits = 0;
SELECT is(jobs._snapshot(fixture.job()), s.body, 'V3: the same bytes under any setting') FROM snapshot AS s;
SELECT ok(strpos(s.body, E'\n') = 0, 'V3: in one line') FROM snapshot AS s;

-- Nothing that is not for clients.
CALL fixture.start('secret-key');
SELECT is(fixture.advance('secret-key', 1), 'continue', 'a running job');
SELECT is(strpos(jobs._snapshot(j.id), v.secret), 0, 'V4: a snapshot does not hold the ' || v.claim)
FROM jobs_store.job AS j,
     LATERAL (VALUES
        (j.lease::text, 'lease token'), (j.idempotency_key, 'idempotency key'), (j.worker, 'name of the worker'),
        ('lease', 'end of the lease'), ('notified', 'bookkeeping'), ('192.0.2.1', 'address')) AS v (secret, claim)
WHERE j.id = fixture.job('secret-key');
SELECT is(
    (SELECT string_agg(k, ' ' ORDER BY k) FROM jsonb_object_keys(fixture.snapshot('secret-key')) AS k),
    'actor attempt cancel_requested_at created_at errors failure finished_at id kind max_attempts progress '
    || 'request result started_at state terminal version workspace_id', 'V4: only these members');

-- The first ten errors by page id, however they came.
CALL fixture.queue('errors');
INSERT INTO jobs_store.page_error (job_id, page_id, code)
SELECT fixture.job('errors'), fixture.page(n), 'page_missing' FROM generate_series(40, 21, -1) AS n;
SELECT is(
    jsonb_path_query_array(fixture.snapshot('errors'), '$.errors[*].page_id'),
    (SELECT jsonb_agg(fixture.page(n)) FROM generate_series(21, 30) AS n),
        'V3: the first ten errors, in page id order');

-- Texts of any content are JSON.
UPDATE hub_store.page AS p SET title = E'"quoted" \\ \t\n 🙂' WHERE p.id = fixture.page(2);
SELECT is(jobs._record_page_error(fixture.job('secret-key'), fixture.page(2), 'tags_full')::text, '', 'an odd title');
SELECT is(
    fixture.snapshot('secret-key') #>> '{errors,0,page_title}', E'"quoted" \\ \t\n 🙂', 'comes through as it is');
SELECT is(
    fixture.snapshot('secret-key') -> 'result', 'null', 'a job without a result has none')
WHERE fixture.snapshot('secret-key') ? 'result';

SELECT * FROM finish();
ROLLBACK;
