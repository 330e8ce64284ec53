BEGIN;
SELECT plan(35);
CALL fixture.world();

-- A schema full of traps in front of everything, for all three roles.
CREATE SCHEMA trap;
CREATE FUNCTION trap.lie(uuid, uuid) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE FUNCTION trap.lie(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE FUNCTION trap.lie(timestamptz, timestamptz) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE OPERATOR trap.= (FUNCTION = trap.lie, LEFTARG = uuid, RIGHTARG = uuid);
CREATE OPERATOR trap.= (FUNCTION = trap.lie, LEFTARG = text, RIGHTARG = text);
CREATE OPERATOR trap.<> (FUNCTION = trap.lie, LEFTARG = text, RIGHTARG = text);
CREATE OPERATOR trap.> (FUNCTION = trap.lie, LEFTARG = timestamptz, RIGHTARG = timestamptz);
CREATE FUNCTION trap.lower(text) RETURNS text LANGUAGE sql AS $$SELECT 'trapped'$$;
CREATE FUNCTION trap.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$SELECT timestamptz '1970-01-01'$$;
CREATE FUNCTION trap.to_char(timestamp, text) RETURNS text LANGUAGE sql AS $$SELECT 'trapped'$$;
CREATE FUNCTION trap.jsonb_build_object(VARIADIC "any") RETURNS jsonb LANGUAGE internal AS 'jsonb_build_object_noargs';
CREATE TABLE trap.job AS SELECT 1 AS id;
GRANT USAGE ON SCHEMA trap, fixture TO PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA trap TO PUBLIC;
SELECT '# what the roles need', set_config('trap.session', fixture.session('ada')::text, true),
       set_config('trap.workspace', fixture.id('main')::text, true),
       set_config('trap.body', fixture.tagging('{NEW,Été}')::text, true);

SET LOCAL ROLE hub_api;
SET LOCAL search_path = trap, pg_catalog;
SELECT '#', pg_catalog.set_config('trap.created', c.outcome, true)
FROM jobs.create_job(
    current_setting('trap.session')::bytea, current_setting('trap.workspace')::uuid, 'job',
        current_setting('trap.body')::jsonb, NULL) AS c;
SELECT '#', pg_catalog.set_config('trap.listed', l.body, true)
FROM jobs.list_jobs(
    current_setting('trap.session')::bytea, current_setting('trap.workspace')::uuid, NULL, NULL, NULL, 5) AS l;
SET LOCAL ROLE hub_worker;
SELECT '#', pg_catalog.set_config('trap.job', c.job_id::text, true),
    pg_catalog.set_config('trap.lease', c.lease::text, true)
FROM jobs.claim('w', '{course_tagging}') AS c;
SELECT '#', pg_catalog.set_config('trap.advanced', a.outcome, true)
FROM jobs.advance(current_setting('trap.job')::uuid, current_setting('trap.lease')::uuid) AS a;
RESET ROLE;
SET LOCAL search_path = tap;

SELECT is(
    current_setting('trap.created'), 'created', 'an API that sets a search_path of its own gets the same answers');
SELECT is(
    current_setting('trap.listed'),
    jsonb_build_object('jobs', jsonb_build_array(
        (SELECT jsonb_set(jsonb_set(fixture.snapshot(), '{progress}',
            '{"total": 3, "processed": 0, "changed": 0, "skipped": 0, "failed": 0}'),
            '{attempt}', '0') || '{"state": "queued", "terminal": false, "version": 1,
                "started_at": null, "finished_at": null}')),
        'next_cursor', NULL)::text, 'and the same snapshots');
SELECT is(current_setting('trap.advanced'), 'ended', 'and so does a worker');
SELECT is(fixture.progress(), '3/3 3+0+0', 'pages are tagged');
SELECT is(fixture.tags(1), '{NEW,Été}', 'as they should be');

-- No role reaches a table, in whichever way.
CREATE FUNCTION pg_temp.refused(p_role text, p_call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SET LOCAL ROLE %I', p_role);
    BEGIN
        EXECUTE p_call;
    EXCEPTION WHEN insufficient_privilege THEN
        RESET ROLE;
        RETURN pass(p_call || ' as ' || p_role);
    END;
    RESET ROLE;
    RETURN fail(p_call || ' as ' || p_role);
END;
$$;
SELECT pg_temp.refused(r.role, c.call)
FROM unnest('{hub_api,hub_worker,hub_operator}'::text[]) AS r (role),
     unnest(ARRAY[
        'SELECT * FROM jobs_store.job', 'DELETE FROM hub_store.page', 'INSERT INTO jobs_store.kind VALUES (''x'')',
        'CREATE TEMPORARY TABLE x ()', 'CREATE SCHEMA x', 'SELECT jobs._snapshot(gen_random_uuid())',
        'SELECT jobs._end_job(gen_random_uuid(), ''failed'')', 'SELECT hub._live_session(''x'')']) AS c (call);
SELECT pg_temp.refused(v.role, v.call)
FROM (VALUES
    ('hub_api', 'SELECT jobs.claim(''w'', ''{course_tagging}'')'),
        ('hub_api', 'SELECT jobs.set_setting(''MaxAttempts'', 1)'),
    ('hub_worker', 'SELECT jobs.read_job_by_operator(gen_random_uuid())'), ('hub_worker', 'SELECT hub.find_credentials(''a@b'')'),
    ('hub_operator', 'SELECT jobs.create_job(NULL, NULL, NULL, NULL, NULL)'),
    ('hub_operator', 'SELECT jobs.advance(NULL, NULL)')) AS v (role, call);

SELECT * FROM finish();
ROLLBACK;
