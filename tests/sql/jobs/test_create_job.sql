BEGIN;
SELECT plan(46);
CALL fixture.world();
UPDATE jobs_store.setting AS s SET value = 100 WHERE s.name LIKE 'MaxPending%';

CREATE FUNCTION pg_temp.create(p_who text, p_workspace text, p_body jsonb, p_key text DEFAULT 'job')
RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', c.outcome, c.detail, c.body)
    FROM jobs.create_job(fixture.session(p_who), fixture.id(p_workspace), p_key, p_body, '192.0.2.1') AS c;
$$;

-- Locks: after a refusal none is left by foreign keys.
UPDATE jobs_store.setting AS s SET value = 0 WHERE s.name = 'MaxCreatedPerDay';
SELECT is(
    pg_temp.create('ada', 'main', fixture.tagging()),
    'capacity {"limit": "MaxCreatedPerDay", "value": 0, "retry_after": 86400}', 'a day without any job');
SELECT results_eq(
    $$SELECT w.title FROM hub_store.workspace AS w WHERE w.xmax = pg_current_xact_id()::xid$$, $$VALUES ('Main')$$,
    'A2: it holds the lock of this workspace and of no other');
SELECT results_eq(
    $$SELECT m.user_id FROM hub_store.membership AS m WHERE m.xmax = pg_current_xact_id()::xid$$,
    $$VALUES (fixture.id('ada'))$$, 'A5: and the membership of who asks');
UPDATE jobs_store.setting AS s SET value = 100 WHERE s.name = 'MaxCreatedPerDay';

-- Accepted.
CREATE TEMPORARY TABLE answer ON COMMIT DROP AS
SELECT c.outcome, c.detail, c.body
FROM jobs.create_job(
    fixture.session('ada'), fixture.id('main'), 'job', fixture.tagging('{ New  Tag,new tag,B}'), '192.0.2.1') AS c;
SELECT results_eq(
    $$SELECT a.outcome, a.detail, a.body FROM answer AS a$$,
    $$SELECT 'created', jsonb_build_object('job_id', fixture.job(), 'version', 1), jobs._snapshot(fixture.job())$$,
    'the answer is the snapshot, beside it the id and the version');
SELECT is(
    fixture.snapshot() - '{id,created_at}'::text[],
    jsonb_build_object(
        'workspace_id', fixture.id('main'), 'kind', 'course_tagging', 'state', 'queued', 'terminal', false,
        'version', 1, 'actor', jsonb_build_object('id', fixture.id('ada'), 'name', 'Ada'),
        'request', jsonb_build_object(
            'course_id', fixture.id('course'), 'course_title', 'Course', 'tags', '{New Tag,B}'::text[]),
        'progress', '{"total": 3, "processed": 0, "changed": 0, "skipped": 0, "failed": 0}'::jsonb,
        'errors', '[]'::jsonb, 'failure', NULL, 'result', NULL, 'attempt', 0, 'max_attempts', 3,
        'cancel_requested_at', NULL, 'started_at', NULL, 'finished_at', NULL),
    'a new job is queued, with nothing done');
SELECT results_eq(
    $$SELECT w.chunk, w.page_ids FROM jobs_store.worklist AS w WHERE w.job_id = fixture.job()$$,
    $$VALUES (0, ARRAY[fixture.page(1), fixture.page(2), fixture.page(3)])$$,
    'A1: its worklist is there');
SELECT results_eq(
    $$SELECT a.event, a.workspace_id, a.actor_id, a.actor_name, a.by, a.worker, a.address, a.detail
      FROM jobs_store.audit_event AS a WHERE a.job_id = fixture.job()$$,
    $$VALUES ('job.queued', fixture.id('main'), fixture.id('ada'), 'Ada', 'user', NULL::text, '192.0.2.1'::inet,
        '{}'::jsonb)$$,
    'A1: and its one event');

-- All or nothing.
CREATE FUNCTION pg_temp.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'no room';
END;
$$;
CALL fixture.remember();
CREATE TRIGGER refuse BEFORE INSERT ON jobs_store.audit_event FOR EACH ROW EXECUTE FUNCTION pg_temp.refuse();
SELECT throws_ok(
    $$SELECT fixture.create('a')$$, 'P0001', 'no room', 'A1: when the event cannot be written');
SELECT ok(fixture.unchanged(), 'A1: there is no job and no worklist');
DROP TRIGGER refuse ON jobs_store.audit_event;
CREATE TRIGGER refuse BEFORE INSERT ON jobs_store.worklist FOR EACH ROW EXECUTE FUNCTION pg_temp.refuse();
SELECT throws_ok(
    $$SELECT fixture.create('a')$$, 'P0001', 'no room', 'A1: when the worklist cannot be written');
SELECT ok(fixture.unchanged(), 'A1: there is no job and no event');
DROP TRIGGER refuse ON jobs_store.worklist;

-- Rights.
SELECT is(pg_temp.create(v.who, v.place, fixture.tagging()), v.expected, 'A5: ' || v.claim)
FROM (VALUES
    ('editor', 'main', 'not_administrator', 'an editor is refused'),
    ('reader', 'main', 'not_administrator', 'a reader is refused'),
    ('lapsed', 'main', 'not_administrator', 'an administrator whose membership is disabled is refused'),
    ('stranger', 'main', 'not_found', 'a workspace of others is not there'),
    ('ada', 'other', 'not_found', 'nor for an administrator of this one'),
    ('ada', 'nowhere', 'not_found', 'nor is one that does not exist'),
    ('nobody', 'main', 'unauthenticated', 'an unknown session is none')) AS v (who, place, expected, claim);
UPDATE hub_store.session AS s SET last_seen_at = clock_timestamp() - interval '30 minutes'
WHERE s.user_id = fixture.id('ben');
UPDATE hub_store.session AS s SET created_at = clock_timestamp() - interval '12 hours'
WHERE s.user_id = fixture.id('cyd');
SELECT is(pg_temp.create('ben', 'main', fixture.tagging()), 'unauthenticated', 'A5: an idle session is over');
SELECT is(pg_temp.create('cyd', 'main', fixture.tagging()), 'unauthenticated', 'A5: an old session is over');
SELECT is(
    pg_temp.create('reader', 'main', '{"kind": 7}'), 'not_administrator', 'the right is judged before the shape');

SELECT results_eq(
    $$SELECT a.actor_name, a.job_id, a.by FROM jobs_store.audit_event AS a
      WHERE a.event = 'job.create_refused' ORDER BY a.id$$,
    $$VALUES ('Editor', NULL::uuid, 'user'), ('Reader', NULL, 'user'), ('Lapsed', NULL, 'user')$$,
    'U1: members who may not are recorded, once a minute each');

-- Content.
SELECT is(
    pg_temp.create('ada', 'main', fixture.tagging('{New}', v.course), 'new'),
    'invalid {"errors": [{"message": "there is no such course in this workspace", "pointer": "/course_id"}]}',
    'the course: ' || v.course)
FROM (VALUES ('nowhere'), ('foreign')) AS v (course);
UPDATE jobs_store.setting AS s SET value = 2 WHERE s.name = 'MaxCoursePages';
SELECT is(
    pg_temp.create('ada', 'main', fixture.tagging(), 'new'),
    'course_too_large {"limit": "MaxCoursePages", "value": 2}', 'A6: a course of one page more than the limit');
UPDATE jobs_store.setting AS s SET value = 3 WHERE s.name = 'MaxCoursePages';
SELECT is(
    pg_temp.create('ada', 'main', '{"kind": "course_tagging", "tags": []}', 'new')::text,
    'invalid {"errors": [{"message": "send the id of a course", "pointer": "/course_id"}, '
        || '{"message": "send 1 to 20 different tags", "pointer": "/tags"}]}',
    'the detail of a wrong shape holds its errors and nothing else');

-- Order.
UPDATE jobs_store.setting AS s SET value = 0 WHERE s.name = 'MaxPendingPerWorkspace';
SELECT is(
    pg_temp.create('ada', 'main', fixture.tagging('{Other}', 'nowhere')), 'idempotency_conflict',
    'the key is judged before the content');
SELECT is(
    left(pg_temp.create('ada', 'main', fixture.tagging('{New}', 'nowhere'), 'new'), 7), 'invalid',
    'the content is judged before the capacity');
SELECT is(
    pg_temp.create('ada', 'main', fixture.tagging(), 'new'),
    'capacity {"limit": "MaxPendingPerWorkspace", "value": 0, "retry_after": 10}', 'the capacity last');
SELECT ok(fixture.unchanged(), 'A3: no refusal inserts a job, a worklist or an event');

-- At the edge of the limits it is created.
UPDATE jobs_store.setting AS s SET value = 2 WHERE s.name = 'MaxPendingPerWorkspace';
SELECT is(fixture.create('exact'), 'created', 'A6: a course of as many pages as the limit is accepted');
UPDATE jobs_store.setting AS s SET value = 100 WHERE s.name = 'MaxPendingPerWorkspace';
SELECT is(
    fixture.create('empty', 'ada', fixture.tagging('{New}', 'empty')), 'created', 'A6: an empty course is accepted');
SELECT is(fixture.progress('empty'), '0/0 0+0+0', 'A6: with total 0');
SELECT is_empty(
    $$SELECT FROM jobs_store.worklist AS w WHERE w.job_id = fixture.job('empty')$$, 'A6: and without a worklist');
SELECT is(fixture.create('handled', 'ada', '{"kind": "archive"}'), 'created', 'a job of a kind with a handler');
SELECT is(
    fixture.snapshot('handled') -> 'request', '{}', 'has nothing in its request when its kind has no parameters');
UPDATE jobs_store.setting AS s SET value = 7 WHERE s.name = 'MaxAttempts';
SELECT is(fixture.create('more'), 'created', 'after MaxAttempts was changed');
SELECT results_eq(
    $$SELECT j.idempotency_key, j.max_attempts FROM jobs_store.job AS j WHERE j.idempotency_key IN ('job', 'more')
      ORDER BY 1$$,
    $$VALUES ('job', 3), ('more', 7)$$, 'new jobs have as many attempts, older ones theirs');

-- The snapshot is built of copies.
CREATE TEMPORARY TABLE snapshot ON COMMIT DROP AS SELECT jobs._snapshot(fixture.job()) AS body;
UPDATE hub_store.course AS c SET title = 'Renamed';
UPDATE hub_store.app_user AS u SET name = 'Renamed';
UPDATE jobs_store.setting AS s SET value = s.maximum;
SELECT is(
    jobs._snapshot(fixture.job()), s.body, 'V3: names, titles and limits in a snapshot are those of its admission')
FROM snapshot AS s;

-- An old key does not help who lost the right.
CALL fixture.remember();
CALL fixture.revoke('ada', 'role');
SELECT is(fixture.create('job', 'ada', fixture.tagging('{New Tag,B}')), 'not_administrator',
    'A5: another role is refused even for its own old key');
UPDATE hub_store.membership AS m SET role = 'administrator' WHERE m.user_id = fixture.id('ada');
SELECT is(
    fixture.create('job', 'ada', fixture.tagging('{New Tag,B}')), 'replayed', 'A5: which an administrator may use');
CALL fixture.revoke('ada', 'membership');
SELECT is(fixture.create('job', 'ada', fixture.tagging('{New Tag,B}')), 'not_administrator',
    'A5: a disabled membership is refused even for its own old key');
CALL fixture.revoke('ada', 'user');
SELECT is(fixture.create('job', 'ada', fixture.tagging('{New Tag,B}')), 'unauthenticated',
    'A5: a disabled user is refused even for its own old key');
SELECT ok(fixture.unchanged(), 'A5: and nothing is inserted');

-- A page comes after the course was counted, as if somebody had just imported it.
CREATE FUNCTION pg_temp.meddle() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO hub_store.page (course_id, position, title, content) VALUES (fixture.id('foreign'), 2, 'New', '');
    RETURN new;
END;
$$;
CREATE TRIGGER meddle BEFORE INSERT ON jobs_store.job FOR EACH ROW EXECUTE FUNCTION pg_temp.meddle();
SELECT is(
    (SELECT c.outcome FROM jobs.create_job(fixture.session('stranger'), fixture.id('other'), 'late',
        fixture.tagging('{Late}', 'foreign'), NULL) AS c), 'created', 'the course grows meanwhile');
SELECT results_eq(
    $$SELECT j.total, cardinality(w.page_ids)
      FROM jobs_store.job AS j JOIN jobs_store.worklist AS w ON w.job_id = j.id
      WHERE j.idempotency_key = 'late'$$, 'VALUES (2, 2)', 'A1: the total is that of the worklist');

SELECT * FROM finish();
ROLLBACK;
