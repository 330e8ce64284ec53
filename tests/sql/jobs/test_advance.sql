BEGIN;
SELECT plan(50);
CALL fixture.world();
CALL fixture.grow(5);
UPDATE jobs_store.setting AS s SET value = 100 WHERE s.name LIKE 'MaxPending%';

-- A job in steps.
CALL fixture.start();
CREATE TEMPORARY TABLE step ON COMMIT DROP AS
SELECT a.outcome, a.snapshot, jobs._snapshot(fixture.job()) AS present, fixture.version() AS version
FROM jobs.advance(fixture.job(), fixture.lease(), 2) AS a;
SELECT results_eq(
    $$SELECT s.outcome, s.snapshot = jobs._snapshot(fixture.job()), (s.snapshot::jsonb -> 'version')::bigint
        FROM step AS s$$,
    $$VALUES ('continue', true, 3::bigint)$$, 'a step answers with the snapshot; V1: its version rose by one');
SELECT is(fixture.progress(), '2/5 2+0+0', 'E3: two of five pages are counted');
SELECT results_eq(
    $$SELECT p.position, p.tags FROM hub_store.page AS p WHERE p.course_id = fixture.id('course') ORDER BY p.id$$,
    $$VALUES (1, '{New}'::text[]), (2, '{New}'), (3, '{}'), (4, '{}'), (5, '{}')$$,
    'E3: and are tagged in the same transaction');
SELECT is(fixture.events(), 'queued by user, claimed by worker', 'U1: progress is no event');
UPDATE jobs_store.job AS j SET lease_until = clock_timestamp() + interval '1 second';
SELECT is(fixture.advance('job', 0), 'continue', 'a step of no page');
SELECT is(fixture.version(), 3::bigint, 'V1: changes nothing that is visible');
SELECT ok(
    (SELECT j.lease_until > clock_timestamp() + interval '29 seconds' FROM jobs_store.job AS j),
    'E4: the lease is renewed, counted from the end of the step');
SELECT is(fixture.advance('job', 2), 'continue', 'the next step');
SELECT is(fixture.progress(), '4/5 4+0+0', 'E3: goes on where the last one ended');
SELECT is(fixture.advance('job', 2), 'ended', 'the last step ends the job');
SELECT is(fixture.state() || ' ' || fixture.progress(), 'succeeded 5/5 5+0+0', 'E3: every page has its outcome');
SELECT is(
    fixture.events(), 'queued by user, claimed by worker, succeeded by worker', 'U1: one event tells the end');
SELECT is_empty($$SELECT FROM jobs_store.worklist$$, 'T1: the worklist is gone');
SELECT throws_ok(
    $$SELECT jobs.advance(fixture.job(), gen_random_uuid())$$, 'KH423', NULL, 'E4: there is no step after the end');

-- An empty course.
CALL fixture.start('empty', fixture.tagging('{New}', 'empty'));
SELECT is(fixture.advance('empty'), 'ended', 'A6: a job on an empty course ends with its first step');
SELECT is(
    fixture.state('empty') || ' ' || fixture.progress('empty'), 'succeeded 0/0 0+0+0',
    'A6: it succeeds with total 0');

-- Rights.
CALL fixture.start('revoked', fixture.tagging('{Revoked}'), 'ben');
SELECT is(fixture.advance('revoked', 2), 'continue', 'a step with the right');
CALL fixture.revoke('ben', 'role');
SELECT is(fixture.advance('revoked', 2), 'ended', 'E1: without it the next step ends the job');
SELECT is(
    concat_ws(' ', fixture.state('revoked'), fixture.failure('revoked'), fixture.progress('revoked')),
    'failed actor_not_authorised 2/5 2+0+0', 'E1: it failed, what was done stays');
SELECT is(
    fixture.events('revoked'), 'queued by user, claimed by worker, failed by worker', 'U1: with one event');
SELECT is(
    (SELECT a.detail FROM jobs_store.audit_event AS a WHERE a.event = 'job.failed'), '{"code": "actor_not_authorised"}',
    'U1: that says why');
SELECT is(
    (SELECT count(*) FROM hub_store.page AS p WHERE 'Revoked' = ANY (p.tags)), 2::bigint,
        'E1: no page was tagged after it');
UPDATE hub_store.membership AS m SET role = 'administrator' WHERE m.user_id = fixture.id('ben');
CREATE FUNCTION pg_temp.without_right(p_way text, p_course text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_key text := p_way || ' ' || p_course;
    v_outcome text;
BEGIN
    v_key := replace(v_key, ' ', '-');
    CALL fixture.start(v_key, fixture.tagging('{Late}', p_course), 'cyd');
    CALL fixture.revoke('cyd', p_way);
    v_outcome := fixture.advance(v_key);
    UPDATE hub_store.app_user AS u SET enabled = true;
    UPDATE hub_store.membership AS m SET enabled = true, role = 'administrator' WHERE m.user_id = fixture.id('cyd');
    RETURN concat_ws(' ', v_outcome, fixture.failure(v_key), fixture.progress(v_key));
END;
$$;
SELECT is(
    pg_temp.without_right(w.way, c.course), 'ended actor_not_authorised 0/' || c.pages || ' 0+0+0',
    format('E1: lost by %s before the first step, on a course of %s pages', w.way, c.pages))
FROM (VALUES ('user'), ('membership'), ('role')) AS w (way), (VALUES ('course', 5), ('empty', 0)) AS c (course, pages);
SELECT is_empty($$SELECT FROM hub_store.page AS p WHERE 'Late' = ANY (p.tags)$$, 'E1: no page was tagged');

-- Cancelling.
CALL fixture.start('stopped', fixture.tagging('{Stopped}'));
SELECT is(fixture.advance('stopped', 3), 'continue', 'a step');
SELECT is(fixture.cancel('stopped'), 'asked', 'a running job is asked to stop');
SELECT is(fixture.advance('stopped', 3), 'ended', 'C2: it stops before its next page');
SELECT is(
    fixture.state('stopped') || ' ' || fixture.progress('stopped'), 'cancelled 3/5 3+0+0',
    'C2: what was committed stays');
SELECT is(
    (SELECT count(*) FROM hub_store.page AS p WHERE 'Stopped' = ANY (p.tags)), 3::bigint,
        'C2: no page more was tagged');
SELECT ok(
    (SELECT j.cancel_requested_at < j.finished_at FROM jobs_store.job AS j WHERE j.id = fixture.job('stopped')),
    'C1: the request keeps its time');
SELECT is(
    fixture.events('stopped'),
    'queued by user, claimed by worker, cancel_requested by user, cancelled by worker', 'U1: an event for each');
CALL fixture.start('whole', fixture.tagging('{}'::text[] || 'Whole'::text));
SELECT is(fixture.cancel('whole'), 'asked', 'a job is asked to stop');
UPDATE jobs_store.job AS j SET processed = 5, changed = 5 WHERE j.id = fixture.job('whole');
SELECT is(fixture.advance('whole'), 'ended', 'when all its pages are done');
SELECT is(fixture.state('whole'), 'cancelled', 'C3: the request wins');
CALL fixture.start('both', fixture.tagging('{Both}'), 'ben');
SELECT is(fixture.cancel('both', 'ada'), 'asked', 'a job is asked to stop');
CALL fixture.revoke('ben');
SELECT is(fixture.advance('both'), 'ended', 'and its actor loses the right');
SELECT is(fixture.state('both'), 'cancelled', 'C3: the request wins over lost rights');
UPDATE hub_store.membership AS m SET enabled = true;

-- Lost between the last page and the end: the right is looked at again.
CREATE FUNCTION pg_temp.revoke() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    UPDATE hub_store.membership AS m SET enabled = false WHERE m.user_id = fixture.id('ben');
    RETURN new;
END;
$$;
CREATE TRIGGER revoke BEFORE UPDATE ON hub_store.page FOR EACH ROW
    WHEN (new.id = fixture.page(5)) EXECUTE FUNCTION pg_temp.revoke();
CALL fixture.start('last', fixture.tagging('{Last}'), 'ben');
SELECT is(fixture.advance('last'), 'ended', 'a job whose actor loses the right with the last page');
SELECT is(
    concat_ws(' ', fixture.state('last'), fixture.failure('last'), fixture.progress('last')),
    'failed actor_not_authorised 5/5 5+0+0', 'C3: failed, though all its pages are done');
DROP TRIGGER revoke ON hub_store.page;

-- A step that is undone.
CALL fixture.start('undone', fixture.tagging('{Undone}'));
SELECT is(fixture.advance('undone', 2), 'continue', 'a step');
CREATE FUNCTION pg_temp.break() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'no disk' USING ERRCODE = 'disk_full';
END;
$$;
CREATE TRIGGER break BEFORE UPDATE ON hub_store.page FOR EACH ROW
    WHEN (new.id = fixture.page(4)) EXECUTE FUNCTION pg_temp.break();
CALL fixture.remember();
SELECT throws_ok($$SELECT fixture.advance('undone')$$, '53100', 'no disk', 'E3: when a step fails as a whole');
SELECT ok(fixture.unchanged(), 'E3: nothing of it is there, neither page nor counter');
DROP TRIGGER break ON hub_store.page;
SELECT is(fixture.advance('undone'), 'ended', 'E3: it is done once more');
SELECT is(fixture.progress('undone'), '5/5 5+0+0', 'E3: and no page is counted twice');

-- Only kinds of this database have steps.
CALL fixture.start('archive', '{"kind": "archive"}');
SELECT throws_ok(
    $$SELECT fixture.advance('archive')$$, 'KH500', 'jobs of kind archive are run by a handler',
        'a handler''s job has no steps');

SELECT * FROM finish();
ROLLBACK;
