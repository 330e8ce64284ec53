BEGIN;
SELECT plan(7);
CALL fixture.world();
CALL fixture.start();
CALL fixture.remember();
CREATE TEMPORARY TABLE ids ON COMMIT DROP AS
SELECT array_agg(a.id ORDER BY a.id) AS up, array_agg(a.id ORDER BY a.id DESC) AS down FROM jobs_store.audit_event AS a;

SELECT is(jobs._audit_page('{}', 5), '{"events": [], "next_cursor": null}', 'no events');
SELECT is(
    (SELECT count(DISTINCT hub._uuid(e.event ->> 'id'))
     FROM jsonb_array_elements(jobs._audit_page(i.up, 5)::jsonb -> 'events') AS e (event)),
    2::bigint, 'U1: every event has an id of its own')
FROM ids AS i;
SELECT is(
    jobs._audit_page(i.up, 5)::jsonb #- '{events,0,id}' #- '{events,1,id}',
    jsonb_build_object('next_cursor', NULL, 'events', jsonb_build_array(
        jsonb_build_object(
            'event', 'job.queued', 'at', hub._utc(q.at), 'job_id', fixture.job(),
            'actor', jsonb_build_object('id', fixture.id('ada'), 'name', 'Ada'), 'by', 'user', 'worker', NULL,
            'address', '192.0.2.1', 'detail', '{}'::jsonb),
        jsonb_build_object(
            'event', 'job.claimed', 'at', hub._utc(c.at), 'job_id', fixture.job(), 'actor', NULL, 'by', 'worker',
            'worker', 'worker', 'address', NULL, 'detail', '{"attempt": 1}'::jsonb))),
    'U1: and says what happened when, to which job, by whom, from where')
FROM ids AS i, jobs_store.audit_event AS q, jobs_store.audit_event AS c
WHERE q.event = 'job.queued' AND c.event = 'job.claimed';
SELECT is(
    jsonb_path_query_array(jobs._audit_page(i.down, 5)::jsonb, '$.events[*].event'), '["job.claimed", "job.queued"]',
    'in the order they are asked for')
FROM ids AS i;
SELECT is(
    jobs._audit_page(i.up, 1)::jsonb -> 'next_cursor', to_jsonb(i.up[1]::text),
        'one more than asked for: the last one is the cursor')
FROM ids AS i;
SELECT is(
    jsonb_array_length(jobs._audit_page(i.up, 1)::jsonb -> 'events'), 1, 'and is the last that is shown')
    FROM ids AS i;
SELECT is(
    jobs._audit_page(i.up, 2)::jsonb -> 'next_cursor', 'null', 'exactly as many: there are no more') FROM ids AS i;

SELECT * FROM finish();
ROLLBACK;
