-- Whole lives of jobs, told by the functions that the three roles may call and by nothing else. The only
-- thing done to a table here is to let a lease be over without waiting for it.
BEGIN;
SELECT plan(93);

-- Calls a function as a role; the first row of its answer. Before and after every call that names a job,
-- its snapshot is looked at: the version must rise when anything else in it changed, and only then.
CREATE FUNCTION pg_temp.call(p_role text, p_call text, p_job text DEFAULT NULL) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    v_answer jsonb;
    v_before jsonb := pg_temp.snapshot(p_job);
    v_after jsonb;
BEGIN
    EXECUTE format('SET LOCAL ROLE %I', p_role);
    EXECUTE format('SELECT to_jsonb(c) FROM %s AS c', p_call) INTO v_answer;
    RESET ROLE;
    v_after := pg_temp.snapshot(p_job);
    IF v_before IS NOT NULL AND (
        (v_after ->> 'version')::bigint < (v_before ->> 'version')::bigint
        OR (v_after -> 'version' = v_before -> 'version') <> (v_after - 'version' = v_before - 'version'))
    THEN
        PERFORM set_config('life.broken', current_setting('life.broken') || p_call || E'\n', true);
    END IF;
    RETURN v_answer;
END;
$$;
CREATE FUNCTION pg_temp.snapshot(p_job text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    v_body jsonb;
BEGIN
    IF p_job IS NOT NULL THEN
        SET LOCAL ROLE hub_operator;
        SELECT s.body::jsonb INTO v_body FROM jobs.read_job_by_operator(current_setting('life.' || p_job)::uuid) AS s;
        RESET ROLE;
    END IF;
    RETURN v_body;
END;
$$;
-- Remembers a value under a name; calls find it with current_setting('life.<name>'). The answer is a
-- comment of TAP, for it becomes a line of output.
CREATE FUNCTION pg_temp.know(p_name text, p_value text) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN set_config('life.' || p_name, p_value, true) IS NOT NULL THEN '# ' || p_name END;
$$;
CREATE FUNCTION pg_temp.operate(p_call text, p_job text DEFAULT NULL) RETURNS jsonb LANGUAGE sql AS $$
    SELECT pg_temp.call('hub_operator', p_call, p_job);
$$;
-- As somebody who is signed in, in the workspace: 'create_job(%s, …)', where %s are session and workspace.
CREATE FUNCTION pg_temp.ask(p_who text, p_call text, p_job text DEFAULT NULL) RETURNS jsonb LANGUAGE sql AS $$
    SELECT pg_temp.call('hub_api', format(
        p_call, format('sha256(%L), current_setting(%L)::uuid', p_who, 'life.workspace')), p_job);
$$;
-- As the worker that holds a job: 'advance(%s)', where %s are job and lease.
CREATE FUNCTION pg_temp.work(p_job text, p_call text) RETURNS jsonb LANGUAGE sql AS $$
    SELECT pg_temp.call('hub_worker', format(
        p_call, format('current_setting(%L)::uuid, current_setting(%L)::uuid', 'life.' || p_job, 'life.lease')), p_job);
$$;
CREATE FUNCTION pg_temp.create(p_job text, p_tag text, p_who text DEFAULT 'ada', p_course text DEFAULT 'course')
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_answer jsonb := pg_temp.ask(p_who, format(
        'jobs.create_job(%%s, %L, %L, %L)', p_job,
        jsonb_build_object('kind', 'course_tagging', 'course_id', current_setting('life.' || p_course), 'tags',
            jsonb_build_array(p_tag)),
        '192.0.2.1'));
BEGIN
    PERFORM pg_temp.know(p_job, v_answer #>> '{detail,job_id}');
    RETURN v_answer ->> 'outcome';
END;
$$;
-- The name of the claimed job is looked up among those that are asked for.
CREATE FUNCTION pg_temp.claim(p_job text, p_worker text DEFAULT 'host:1') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_answer jsonb := pg_temp.call('hub_worker', format('jobs.claim(%L, %L)', p_worker, '{course_tagging}'), p_job);
BEGIN
    PERFORM pg_temp.know('lease', v_answer ->> 'lease');
    RETURN CASE WHEN v_answer IS NULL THEN 'nothing'
                WHEN v_answer ->> 'job_id' = current_setting('life.' || p_job) THEN 'attempt '
                    || (v_answer ->> 'attempt')
                ELSE 'another job' END;
END;
$$;
CREATE FUNCTION pg_temp.advance(p_job text, p_pages integer DEFAULT 1000) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.work(p_job, 'jobs.advance(%s, ' || p_pages || ', ''1 minute'')') ->> 'outcome';
$$;
CREATE FUNCTION pg_temp.cancel(p_job text, p_who text DEFAULT 'ada') RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.ask(
        p_who, 'jobs.cancel_job(%s, ''' || current_setting('life.' || p_job) || ''', NULL)', p_job) ->> 'outcome';
$$;
-- A worker claims a job, tags a page and dies; what the claim was.
CREATE FUNCTION pg_temp.die(p_job text, p_worker text, p_pages integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_claim text := pg_temp.claim(p_job, p_worker);
BEGIN
    PERFORM pg_temp.advance(p_job, p_pages);
    UPDATE jobs_store.job AS j SET lease_until = clock_timestamp() - interval '1 second'
    WHERE j.id = current_setting('life.' || p_job)::uuid;
    RETURN v_claim;
END;
$$;
-- "state failure processed/total changed+skipped+failed attempt".
CREATE FUNCTION pg_temp.stand(p_job text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', s.body ->> 'state', s.body #>> '{failure,code}', format('%s/%s %s+%s+%s',
            p.body ->> 'processed', p.body ->> 'total', p.body ->> 'changed', p.body ->> 'skipped',
                p.body ->> 'failed'),
        'attempt ' || (s.body ->> 'attempt'))
    FROM pg_temp.snapshot(p_job) AS s (body), LATERAL (SELECT s.body -> 'progress') AS p (body);
$$;
CREATE FUNCTION pg_temp.trail(p_job text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(
        substr(e.event ->> 'event', 5) || ' by '
        || coalesce(e.event #>> '{actor,name}', e.event ->> 'worker', 'operator'), ', '
        ORDER BY e.place)
    FROM jsonb_array_elements((pg_temp.ask(
            'ben', 'jobs.list_job_audit(%s, ''' || current_setting('life.' || p_job)
                || ''', NULL, 50)') ->> 'body')::jsonb -> 'events')
        WITH ORDINALITY AS e (event, place);
$$;
-- The pages of the course that have a tag, by their titles.
CREATE FUNCTION pg_temp.tagged(p_tag text) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce(string_agg(e.page ->> 'title', '' ORDER BY e.page ->> 'title'), 'none')
    FROM jsonb_array_elements((pg_temp.ask(
        'ben', format('hub.list_pages(%%s, %L, %L, NULL, NULL, 50)', current_setting('life.course'),
            p_tag)) ->> 'body')::jsonb -> 'pages') AS e (page);
$$;
SELECT pg_temp.know('broken', '');

-- The operator sets the stage.
SELECT pg_temp.know(
    v.name, pg_temp.operate(format('hub.add_user(%L, %L, %L)', v.name || '@example.org', initcap(v.name),
    'hash')) #>> '{detail,id}')
FROM unnest('{ada,ben}'::text[]) AS v (name);
SELECT pg_temp.know('workspace', pg_temp.operate($$hub.add_workspace('Life')$$) #>> '{detail,id}');
SELECT is(
    pg_temp.operate(format('hub.set_membership(%L, %L, %L, true)', current_setting('life.workspace'), v.name
        || '@example.org', 'administrator')) ->> 'outcome',
    'ok', v.name || ' administers the workspace')
FROM unnest('{ada,ben}'::text[]) AS v (name);
SELECT pg_temp.know(
    'course', pg_temp.operate(format('hub.add_course(%L, %L)', current_setting('life.workspace'),
    'Course')) #>> '{detail,id}');
SELECT pg_temp.know(
    'bare', pg_temp.operate(format('hub.add_course(%L, %L)', current_setting('life.workspace'),
    'Bare')) #>> '{detail,id}');
SELECT is(
    pg_temp.operate(format('hub.add_pages(%L, %L)', current_setting('life.course'), (
        SELECT jsonb_agg(
            jsonb_build_object('title', t, 'content', 'text of ' || t, 'tags', '{}'::text[]))
            FROM unnest('{A,B,C,D,E,F}'::text[]) AS t)))
        ->> 'outcome', 'ok', 'a course has six pages');
SELECT is(
    pg_temp.call('hub_api', format('hub.open_session(%L, %L, sha256(%L))', current_setting('life.' || v.name),
        'hash', v.name)) ->> 'outcome',
    'ok', v.name || ' signs in')
FROM unnest('{ada,ben}'::text[]) AS v (name);

-- A life without incidents.
SELECT is(
    pg_temp.ask('ada', format('jobs.preview_tagging(%%s, %L, %L)', current_setting('life.course'),
        '{"tags": ["Plain"]}')) ->> 'body',
    '{"total": 6, "have_all": 0, "would_change": 6}', 'a preview');
SELECT is(pg_temp.create('plain', 'Plain'), 'created', 'A1: a job is created');
SELECT is(pg_temp.stand('plain'), 'queued 0/6 0+0+0 attempt 0', 'A1: and queued');
SELECT is(pg_temp.create('plain', ' plain '), 'replayed', 'A4: asked for twice it is one job');
SELECT is(pg_temp.claim('plain'), 'attempt 1', 'E5: a worker claims it');
SELECT is(pg_temp.work('plain', 'jobs.renew(%s)') -> 'stop_requested', 'false', 'nobody wants it to stop');
SELECT is(pg_temp.advance('plain', 2), 'continue', 'a step of two pages');
SELECT is(pg_temp.stand('plain'), 'running 2/6 2+0+0 attempt 1', 'E3: is seen');
SELECT is(pg_temp.advance('plain', 2), 'continue', 'another step');
SELECT is(pg_temp.advance('plain'), 'ended', 'and the rest');
SELECT is(pg_temp.stand('plain'), 'succeeded 6/6 6+0+0 attempt 1', 'E3: it succeeded');
SELECT is(pg_temp.tagged('Plain'), 'ABCDEF', 'E2: every page is tagged');
SELECT is(pg_temp.trail('plain'), 'queued by Ada, claimed by host:1, succeeded by host:1', 'U1: the trail tells it');
SELECT is(pg_temp.cancel('plain'), 'terminal', 'C3: it cannot be cancelled any more');
SELECT is(pg_temp.create('plain', 'Plain'), 'replayed', 'A4: its key still stands for it');
SELECT is(pg_temp.create('again', 'PLAIN'), 'created', 'the same tags once more');
SELECT is(pg_temp.claim('again'), 'attempt 1', 'claimed');
SELECT is(pg_temp.advance('again'), 'ended', 'done');
SELECT is(pg_temp.stand('again'), 'succeeded 6/6 0+6+0 attempt 1', 'E2: find every page as it should be');

-- Cancelled before it began.
SELECT is(pg_temp.create('early', 'Early'), 'created', 'a job');
SELECT is(pg_temp.cancel('early', 'ben'), 'ok', 'C2: another administrator cancels it at once');
SELECT is(pg_temp.stand('early'), 'cancelled 0/6 0+0+0 attempt 0', 'C2: before any work');
SELECT is(pg_temp.claim('early'), 'nothing', 'C3: nobody claims it');
SELECT is(pg_temp.trail('early'), 'queued by Ada, cancel_requested by Ben, cancelled by Ben', 'U1: the trail tells it');

-- Cancelled in the middle.
SELECT is(pg_temp.create('middle', 'Middle'), 'created', 'a job');
SELECT is(pg_temp.claim('middle'), 'attempt 1', 'claimed');
SELECT is(pg_temp.advance('middle', 4), 'continue', 'four pages');
SELECT is(pg_temp.cancel('middle'), 'asked', 'C1: it is asked to stop');
SELECT is(pg_temp.cancel('middle', 'ben'), 'ok', 'C1: and again');
SELECT is(pg_temp.work('middle', 'jobs.renew(%s)') -> 'stop_requested', 'true', 'C2: the worker hears of it');
SELECT is(pg_temp.advance('middle'), 'ended', 'C2: and stops');
SELECT is(pg_temp.stand('middle'), 'cancelled 4/6 4+0+0 attempt 1', 'C2: what was done');
SELECT is(length(pg_temp.tagged('Middle')), 4, 'C2: stays');
SELECT is(
    pg_temp.trail('middle'), 'queued by Ada, claimed by host:1, cancel_requested by Ada, cancelled by host:1',
        'C1: one request, U1: one end');

-- Drained twice, and finished by a third worker.
SELECT is(pg_temp.create('drained', 'Drained'), 'created', 'a job');
SELECT is(pg_temp.claim('drained', 'host:1'), 'attempt 1', 'claimed');
SELECT is(pg_temp.advance('drained', 1), 'continue', 'one page');
SELECT is(pg_temp.work('drained', 'jobs.release(%s)') ->> 'outcome', 'queued', 'E5: given back');
SELECT is(pg_temp.claim('drained', 'host:2'), 'attempt 1', 'E5: it is still the first attempt');
SELECT is(pg_temp.advance('drained', 2), 'continue', 'two pages');
SELECT is(pg_temp.work('drained', 'jobs.release(%s)') ->> 'outcome', 'queued', 'E5: given back');
SELECT is(pg_temp.claim('drained', 'host:3'), 'attempt 1', 'E5: for the third');
SELECT is(pg_temp.advance('drained'), 'ended', 'the rest');
SELECT is(pg_temp.stand('drained'), 'succeeded 6/6 6+0+0 attempt 1', 'E3: no page was done twice');
SELECT is(
    pg_temp.trail('drained'),
    'queued by Ada, claimed by host:1, released by host:1, claimed by host:2, released by host:2, '
        || 'claimed by host:3, succeeded by host:3',
    'U1: the trail tells it');

-- Its worker dies, another finishes.
SELECT is(pg_temp.create('orphan', 'Orphan'), 'created', 'a job');
SELECT is(pg_temp.die('orphan', 'host:1', 3), 'attempt 1', 'its worker dies after three pages');
SELECT pg_temp.know('former', current_setting('life.lease'));
SELECT is(pg_temp.claim('orphan', 'host:2'), 'attempt 2', 'E5: reclaimed');
SELECT throws_ok(
    $$SELECT jobs.advance(current_setting('life.orphan')::uuid, current_setting('life.former')::uuid)$$, 'KH423', NULL,
    'E4: the first worker comes back too late');
SELECT is(pg_temp.advance('orphan'), 'ended', 'the second finishes');
SELECT is(pg_temp.stand('orphan'), 'succeeded 6/6 6+0+0 attempt 2', 'E3: no page was done twice');

-- Three workers die of it.
SELECT is(pg_temp.create('poison', 'Poison'), 'created', 'a job');
SELECT is(pg_temp.die('poison', 'host:' || n, 1), 'attempt ' || n, 'E5: claim ' || n) FROM generate_series(1, 3) AS n;
SELECT is(pg_temp.claim('poison', 'host:4'), 'nothing', 'E5: there is no fourth');
SELECT is(pg_temp.call('hub_worker', $$jobs.sweep('host:4')$$, 'poison') -> 'jobs', '1', 'E5: a sweep');
SELECT is(
    pg_temp.stand('poison'), 'failed attempts_exhausted 3/6 3+0+0 attempt 3',
    'E5: gives it up, and keeps what was done');
SELECT is(
    pg_temp.trail('poison'),
    'queued by Ada, claimed by host:1, reclaimed by host:2, reclaimed by host:3, failed by host:4',
    'U1: the trail tells it');

-- Cancelled when its worker is dead.
SELECT is(pg_temp.create('dead', 'Dead'), 'created', 'a job');
SELECT is(pg_temp.die('dead', 'host:1', 0), 'attempt 1', 'its worker dies');
SELECT is(
    pg_temp.operate(format('jobs.cancel_job_by_operator(%L)', current_setting('life.dead')), 'dead') ->> 'outcome',
    'ok', 'A5: the operator cancels');
SELECT is(
    pg_temp.trail('dead'), 'queued by Ada, claimed by host:1, cancel_requested by operator, cancelled by operator',
    'C2: no worker is needed');

-- A page goes and another fills up meanwhile.
SELECT is(pg_temp.create('moving', 'Moving'), 'created', 'a job');
SELECT pg_temp.know('page.' || (e.page ->> 'title'), e.page ->> 'id')
FROM jsonb_array_elements((pg_temp.ask('ada',
    format('hub.list_pages(%%s, %L, NULL, NULL, NULL, 50)',
    current_setting('life.course'))) ->> 'body')::jsonb -> 'pages') AS e (page);
SELECT is(
    pg_temp.ask('ada', format('hub.delete_page(%%s, %L, %L)', current_setting('life.page.B'), '*')) ->> 'outcome',
    'ok', 'a page is deleted');
SELECT is(
    pg_temp.ask('ada', format('hub.edit_page(%%s, %L, %L, %L)', current_setting('life.page.C'), '*', jsonb_build_object(
        'title', 'C', 'content', 'new', 'tags',
            ARRAY(SELECT 't' || n FROM generate_series(1, 200) AS n)))) ->> 'outcome', 'ok', 'a page gets 200 tags');
SELECT is(
    pg_temp.ask('ada', format('hub.edit_page(%%s, %L, %L, %L)', current_setting('life.page.D'), '*',
        '{"title": "D", "content": "new", "tags": ["MOVING"]}')) ->> 'outcome', 'ok', 'a page gets the tag by hand');
SELECT is(pg_temp.claim('moving'), 'attempt 1', 'claimed');
SELECT is(pg_temp.advance('moving'), 'ended', 'done');
SELECT is(pg_temp.stand('moving'), 'succeeded 6/6 3+1+2 attempt 1', 'E2: each page as it was then');
SELECT is(
    (SELECT string_agg(concat_ws(' ', e.error ->> 'page_title', e.error ->> 'code'), ', ' ORDER BY e.error ->> 'code')
     FROM jsonb_array_elements((pg_temp.ask('ben', 'jobs.list_page_errors(%s, ''' || current_setting('life.moving')
         || ''', NULL, 50)') ->> 'body')::jsonb -> 'errors') AS e (error)),
    'page_missing, C tags_full', 'E2: and why two were not');

SELECT is(
    pg_temp.ask('ada', format('hub.edit_page(%%s, %L, %L, %L)', current_setting('life.page.C'), '*',
        '{"title": "C", "content": "new", "tags": []}')) ->> 'outcome', 'ok', 'the full page is emptied');

-- The right is lost in the middle.
SELECT is(pg_temp.create('revoked', 'Revoked'), 'created', 'a job');
SELECT is(pg_temp.claim('revoked'), 'attempt 1', 'claimed');
SELECT is(pg_temp.advance('revoked', 2), 'continue', 'two pages');
SELECT is(
    pg_temp.operate($$hub.set_user_enabled('ada@example.org', false)$$, 'revoked') ->> 'outcome', 'ok',
    'Ada is disabled');
SELECT is(pg_temp.advance('revoked'), 'ended', 'E1: the next step ends it');
SELECT is(pg_temp.stand('revoked'), 'failed actor_not_authorised 2/5 2+0+0 attempt 1', 'E1: and keeps what was done');
SELECT is(pg_temp.create('late', 'Late'), 'unauthenticated', 'A5: she starts nothing more');
SELECT is(pg_temp.cancel('revoked'), 'unauthenticated', 'A5: and cancels nothing');

-- Nothing to do.
SELECT is(pg_temp.create('nothing', 'Nothing', 'ben', 'bare'), 'created', 'A6: a job on an empty course');
SELECT is(pg_temp.claim('nothing'), 'attempt 1', 'claimed');
SELECT is(pg_temp.advance('nothing'), 'ended', 'done');
SELECT is(pg_temp.stand('nothing'), 'succeeded 0/0 0+0+0 attempt 1', 'A6: succeeds');

-- What holds for all of them.
SELECT is(
    current_setting('life.broken'), '',
    'V1: at every call the version rose if anything in the snapshot changed, and only then');
SELECT is_empty(
    $$SELECT j.idempotency_key FROM jobs_store.job AS j WHERE 1 <> (
        SELECT count(*) FROM jobs_store.audit_event AS a
        WHERE a.job_id = j.id AND a.event IN ('job.succeeded', 'job.failed', 'job.cancelled'))$$,
    'U1, C3: each has exactly one event of its end');
SELECT is_empty($$SELECT FROM jobs_store.worklist$$, 'T1: and no worklist');
SELECT is(
    (SELECT count(*) FROM jobs_store.audit_event AS a WHERE a.workspace_id IS NOT NULL),
    (SELECT sum(jsonb_array_length(l.body -> 'events')) FROM (
        SELECT (pg_temp.ask('ben', 'jobs.list_audit(%s, NULL, 500)') ->> 'body')::jsonb AS body) AS l)::bigint,
    'U1: the trail of the workspace holds all their events');

SELECT * FROM finish();
ROLLBACK;
