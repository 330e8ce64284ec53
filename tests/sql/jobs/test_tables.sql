BEGIN;
SELECT plan(48);
CALL fixture.world();
CALL fixture.queue('queued');
CALL fixture.queue('handled', '{"kind": "archive"}');
CALL fixture.queue('running');

-- The machine of states is in the table: what no function does, no statement can do.
CREATE FUNCTION pg_temp.refused(p_key text, p_set text, p_constraint text, p_claim text)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_constraint text := 'none';
BEGIN
    BEGIN
        EXECUTE format('UPDATE jobs_store.job AS j SET %s WHERE j.id = %L', p_set, fixture.job(p_key));
    EXCEPTION WHEN check_violation THEN
        GET STACKED DIAGNOSTICS v_constraint = CONSTRAINT_NAME;
    END;
    RETURN is(v_constraint, p_constraint, p_claim || ': ' || p_key || ' SET ' || p_set);
END;
$$;
UPDATE jobs_store.job AS j SET created_at = created_at - interval '2 hours' WHERE j.idempotency_key = 'running';
SELECT is(fixture.claim(), 'running', 'one is claimed');
SELECT pg_temp.refused(v.key, v.changes, v.name, v.claim)
FROM (VALUES
    ('queued', $$state = 'waiting'$$, 'job_state_is_known', 'a state is known'),
    ('queued', $$version = 0$$, 'job_version_is_positive', 'V1: a version is positive'),
    ('queued', $$idempotency_key = ''$$, 'job_key_has_shape', 'a key has 1 to 128 characters'),
    ('queued', $$idempotency_key = repeat('k', 129)$$, 'job_key_has_shape', 'a key has 1 to 128 characters'),
    ('queued', $$idempotency_key = 'a b'$$, 'job_key_has_shape', 'of a few kinds'),
    ('queued', $$idempotency_key = E'a\n'$$, 'job_key_has_shape', 'of a few kinds'),
    ('queued', $$state = 'succeeded', processed = 3, changed = 3$$, 'job_finished_iff_terminal',
        'T1: a terminal job has its time'),
    ('queued', $$finished_at = now()$$, 'job_finished_iff_terminal', 'T1: another has none'),
    ('queued', $$lease = gen_random_uuid()$$, 'job_leased_iff_running', 'E4: a queued job has no lease'),
    ('queued', $$worker = 'w'$$, 'job_leased_iff_running', 'E4: a queued job has no worker'),
    ('queued', $$page_locked_since = now()$$, 'job_leased_iff_running', 'E4: a queued job has no page'),
    ('queued', $$state = 'running', attempt = 1$$, 'job_leased_iff_running', 'E4: a running job has a lease'),
    ('running', $$lease = NULL$$, 'job_leased_iff_running', 'E4: a running job has a lease'),
    ('running', $$lease_until = NULL$$, 'job_leased_iff_running', 'E4: and its end'),
    ('running', $$lease_seconds = NULL$$, 'job_leased_iff_running', 'E4: and its length'),
    ('running', $$worker = NULL$$, 'job_leased_iff_running', 'E4: and a worker'),
    ('running', $$started_at = NULL$$, 'job_leased_iff_running', 'E4: and a start'),
    ('running', $$state = 'failed', failure = '{}', finished_at = now()$$, 'job_leased_iff_running',
        'T1: a terminal job has no lease'),
    ('queued', $$state = 'failed', finished_at = now()$$, 'job_failure_iff_failed', 'a failed job says why'),
    ('queued', $$failure = '{}'$$, 'job_failure_iff_failed', 'another has nothing to say'),
    ('queued', $$result = '{}'$$, 'job_result_only_if_succeeded', 'T1: only a job that succeeded has a result'),
    ('queued', $$cancel_requested_at = now()$$, 'job_request_ends_queued', 'C3: no request is left queued'),
    ('queued', $$state = 'cancelled', finished_at = now()$$, 'job_cancelled_on_request',
        'C1: no cancellation without a request'),
    ('running', $$attempt = 4$$, 'job_attempt_is_bounded', 'E5: attempts are bounded'),
    ('queued', $$attempt = -1$$, 'job_attempt_is_bounded', 'E5: attempts are bounded'),
    ('running', $$attempt = 0$$, 'job_running_is_attempted', 'E5: a running job is attempted'),
    ('running', $$processed = 1, changed = 2, failed = -1$$, 'job_counts_are_natural', 'E3: no count is negative'),
    ('running', $$processed = -1, changed = -1$$, 'job_counts_are_natural', 'E3: no count is negative'),
    ('running', $$processed = 4, changed = 4$$, 'job_processed_is_bounded', 'E3: no more than all is processed'),
    ('running', $$processed = 2, changed = 1$$, 'job_counts_add_up', 'E3: every processed page has one outcome'),
    ('running', $$changed = 1$$, 'job_counts_add_up', 'E3: every processed page has one outcome'),
    ('handled', $$total = 3, processed = 1, changed = 1$$, 'job_counts_add_up',
        'E3: what is not itemised has no outcomes'),
    ('queued', $$state = 'succeeded', finished_at = now()$$, 'job_itemised_succeeds_whole',
        'E3: a tagging succeeds as a whole'))
    AS v (key, changes, name, claim);

-- The same for what belongs to a job.
SELECT throws_ok(v.statement, v.code, NULL, v.claim)
FROM (VALUES
    ($$INSERT INTO jobs_store.worklist VALUES (fixture.job('handled'), 0, '{}')$$, '23514', 'a chunk is not empty'),
    ($$INSERT INTO jobs_store.worklist
       SELECT fixture.job(
           'handled'), 0, array_agg(gen_random_uuid()) FROM generate_series(1, 1001)$$, '23514',
           'nor of over 1,000 pages'),
    ($$INSERT INTO jobs_store.worklist VALUES (fixture.job('queued'), 0, ARRAY[gen_random_uuid()])$$, '23505',
        'a chunk is there once'),
    ($$INSERT INTO jobs_store.worklist VALUES (gen_random_uuid(), 0, ARRAY[gen_random_uuid()])$$, '23503',
        'and of a job'),
    ($$INSERT INTO jobs_store.page_error VALUES (fixture.job('running'), gen_random_uuid(), NULL, 'page_odd')$$,
        '23514', 'a page error has a known code'),
    ($$INSERT INTO jobs_store.audit_event (at, event, workspace_id, by) VALUES (now(), 'x', fixture.id('main'),
        'user')$$, '23514',
        'U1: an event by a user names him'),
    ($$INSERT INTO jobs_store.audit_event (at, event, workspace_id, by, actor_id)
       VALUES (now(), 'x', fixture.id('main'), 'operator', fixture.id('ada'))$$, '23514',
           'U1: one by the operator names nobody'),
    ($$INSERT INTO jobs_store.audit_event (at, event, workspace_id, by) VALUES (now(), 'x', fixture.id('main'),
        'worker')$$, '23514',
        'U1: one by a worker says which'),
    ($$INSERT INTO jobs_store.audit_event (at, event, workspace_id, by) VALUES (now(), 'x', fixture.id('main'),
        'cron')$$, '23514',
        'U1: there is nobody else'),
    ($$INSERT INTO jobs_store.archive_deletion VALUES (gen_random_uuid())$$, '23503', 'a deletion is of a job'),
    ($$INSERT INTO jobs_store.archive_deletion VALUES (fixture.job('handled')), (fixture.job('handled'))$$, '23505',
        'and is there once'),
    ($$UPDATE jobs_store.setting SET value = 4 WHERE name = 'LeaseSeconds'$$, '23514', 'a setting is in its range'),
    ($$DELETE FROM jobs_store.kind WHERE name = 'course_tagging'$$, '23503', 'a kind with jobs stays'),
    ($$UPDATE jobs_store.job SET idempotency_key = 'queued' WHERE id = fixture.job('running')$$, '23505',
        'A4: a key is there once'))
    AS v (statement, code, claim);

SELECT * FROM finish();
ROLLBACK;
