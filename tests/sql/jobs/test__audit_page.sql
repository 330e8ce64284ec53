BEGIN;
SELECT plan(9);
CALL fixture.world();
CALL fixture.start();
CALL fixture.remember();
CREATE FUNCTION pg_temp.page(p_job uuid, p_cursor text, p_limit integer) RETURNS jsonb LANGUAGE sql AS $$
    SELECT p.body::jsonb FROM jobs._audit_page(fixture.id('main'), p_job, p_cursor, p_limit) AS p;
$$;

SELECT is(
    (SELECT p.body FROM jobs._audit_page(gen_random_uuid(), NULL, NULL, 5) AS p),
    '{"events": [], "next_cursor": null}', 'no events');
SELECT is(
    (SELECT count(DISTINCT hub._uuid(e.event ->> 'id'))
     FROM jsonb_array_elements(pg_temp.page(fixture.job(), NULL, 5) -> 'events') AS e (event)),
    2::bigint, 'U1: every event has an id of its own');
SELECT is(
    pg_temp.page(fixture.job(), NULL, 5) #- '{events,0,id}' #- '{events,1,id}',
    jsonb_build_object('next_cursor', NULL, 'events', jsonb_build_array(
        jsonb_build_object(
            'event', 'job.queued', 'at', hub._utc(q.at), 'job_id', fixture.job(),
            'actor', jsonb_build_object('id', fixture.id('ada'), 'name', 'Ada'), 'by', 'user', 'worker', NULL,
            'address', '192.0.2.1', 'detail', '{}'::jsonb),
        jsonb_build_object(
            'event', 'job.claimed', 'at', hub._utc(c.at), 'job_id', fixture.job(), 'actor', NULL, 'by', 'worker',
            'worker', 'worker', 'address', NULL, 'detail', '{"attempt": 1}'::jsonb))),
    'U1: and says what happened when, to which job, by whom, from where')
FROM jobs_store.audit_event AS q, jobs_store.audit_event AS c
WHERE q.event = 'job.queued' AND c.event = 'job.claimed';
SELECT is(
    jsonb_path_query_array(pg_temp.page(NULL, NULL, 5), '$.events[*].event'), '["job.claimed", "job.queued"]',
    'those of a workspace come newest first');
SELECT is(
    jsonb_path_query_array(pg_temp.page(fixture.job(), NULL, 1), '$.events[*].event'), '["job.queued"]',
    'those of a job oldest first, as many as asked for');
SELECT is(
    jsonb_path_query_array(
        pg_temp.page(fixture.job(), pg_temp.page(fixture.job(), NULL, 1) ->> 'next_cursor', 1), '$.events[*].event'),
    '["job.claimed"]', 'the cursor goes on after the last that is shown');
SELECT is(
    pg_temp.page(fixture.job(), NULL, 2) -> 'next_cursor', 'null', 'exactly as many: there are no more');
SELECT is(
    jsonb_path_query_array(
        pg_temp.page(NULL, pg_temp.page(NULL, NULL, 1) ->> 'next_cursor', 5), '$.events[*].event'),
    '["job.queued"]', 'and so it does where the newest come first');
SELECT is(
    (SELECT p.outcome FROM jobs._audit_page(fixture.id('main'), NULL, 'x', 5) AS p), 'invalid', 'no cursor of ours');

SELECT * FROM finish();
ROLLBACK;
