BEGIN;
SELECT plan(22);
CALL fixture.world();
UPDATE jobs_store.setting AS s SET value = 1000 WHERE s.name LIKE 'MaxPending%';

-- Every report, under each of the four conditions.
CREATE FUNCTION pg_temp.leave(p_report text, p_code text, p_cancel boolean, p_revoke boolean)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_key text := concat_ws('-', p_report, p_code, p_cancel, p_revoke);
    v_state text;
BEGIN
    CALL fixture.start(v_key, fixture.tagging(p_course => 'empty'), 'ben');
    IF p_cancel THEN
        PERFORM fixture.cancel(v_key);
    END IF;
    IF p_revoke THEN
        CALL fixture.revoke('ben', 'role');
    END IF;
    v_state := jobs._leave_running(fixture.job(v_key), p_report, p_code);
    UPDATE hub_store.membership AS m SET role = 'administrator' WHERE m.user_id = fixture.id('ben');
    ASSERT v_state = fixture.state(v_key), 'the answer is the state';
    ASSERT v_state <> 'queued' OR fixture.cancel(v_key) = 'ok', 'out of the way';
    RETURN concat_ws(' ', v_state, fixture.failure(v_key), '|',
        (SELECT string_agg(a.event || coalesce(' ' || a.worker, ''), ', ' ORDER BY a.id)
         FROM jobs_store.audit_event AS a
             WHERE a.job_id = fixture.job(v_key) AND a.by = 'worker' AND a.event <> 'job.claimed'));
END;
$$;
SELECT is(
    pg_temp.leave(r.report, r.code, true, revoked), 'cancelled | job.cancelled worker',
    format('C3: a cancel request wins over %s%s', concat_ws(' ', r.report, r.code),
        CASE WHEN revoked THEN ' and lost rights' END))
FROM (VALUES ('succeeded', NULL), ('failed', 'worker_error'), ('failed', 'attempts_exhausted'),
    ('queued', NULL)) AS r (report, code),
     unnest('{false,true}'::boolean[]) AS revoked;
SELECT is(
    pg_temp.leave(r.report, r.code, false, true), 'failed actor_not_authorised | job.failed worker',
    format('C3: lost rights win over %s', concat_ws(' ', r.report, r.code)))
FROM (VALUES ('succeeded', NULL), ('failed', 'worker_error'), ('failed', 'attempts_exhausted'),
    ('queued', NULL)) AS r (report, code);
SELECT is(
    pg_temp.leave(r.report, r.code, false, false), r.expected,
        format('C3: else what is reported: %s', concat_ws(' ', r.report, r.code)))
FROM (VALUES
    ('succeeded', NULL, 'succeeded | job.succeeded worker'),
    ('failed', 'worker_error', 'failed worker_error | job.failed worker'),
    ('failed', 'attempts_exhausted', 'failed attempts_exhausted | job.failed worker'),
    ('queued', NULL, 'queued | job.released worker')) AS r (report, code, expected);

-- What a release leaves.
CALL fixture.start('released');
UPDATE jobs_store.job AS j SET page_locked_since = now() WHERE j.id = fixture.job('released');
SELECT is(jobs._leave_running(fixture.job('released'), 'queued'), 'queued', 'a claim is given back');
SELECT results_eq(
    $$SELECT j.state, j.attempt, j.version,
        num_nulls(j.lease, j.lease_until, j.lease_seconds, j.worker, j.page_locked_since, j.finished_at),
             j.started_at IS NOT NULL
      FROM jobs_store.job AS j WHERE j.id = fixture.job('released')$$,
    $$VALUES ('queued', 0, 3::bigint, 6, true)$$, 'E5: the attempt is not charged, nobody holds the job');
SELECT isnt_empty(
    $$SELECT FROM jobs_store.worklist AS w WHERE w.job_id = fixture.job('released')$$, 'its worklist stays');

-- The event names who found the lease to be over.
SELECT is(fixture.claim('first'), 'released', 'claimed once more');
SELECT is(
    jobs._leave_running(fixture.job('released'), 'failed', 'attempts_exhausted', p_sweeper => 'second'), 'failed',
        'swept');
SELECT is(
    (SELECT a.worker FROM jobs_store.audit_event AS a
        WHERE a.job_id = fixture.job('released') AND a.event = 'job.failed'),
    'second', 'U1: by the worker that swept');

SELECT * FROM finish();
ROLLBACK;
