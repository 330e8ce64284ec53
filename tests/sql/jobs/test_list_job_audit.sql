BEGIN;
SELECT plan(17);
CALL fixture.world();
CALL fixture.start();
SELECT is(fixture.cancel(), 'asked', 'a job is asked to stop');
SELECT is(fixture.advance(), 'ended', 'and does');
CALL fixture.queue('beside');

CREATE FUNCTION pg_temp.list(
    p_who text DEFAULT 'ada', p_workspace text DEFAULT 'main', p_key text DEFAULT 'job', p_cursor text DEFAULT NULL,
        p_limit integer DEFAULT 50)
RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', l.outcome, l.detail, (
        SELECT string_agg(substr(e.event ->> 'event', 5), ',' ORDER BY e.place)
        FROM jsonb_array_elements(l.body::jsonb -> 'events') WITH ORDINALITY AS e (event, place)))
    FROM jobs.list_job_audit(fixture.session(p_who), fixture.id(p_workspace), fixture.job(p_key), p_cursor,
        p_limit) AS l;
$$;
SELECT is(pg_temp.list(v.who, v.place, v.key), v.expected, v.claim)
FROM (VALUES
    ('ada', 'main', 'job', 'ok queued,claimed,cancel_requested,cancelled', 'U1: the events of one job, oldest first'),
    ('ben', 'main', 'beside', 'ok queued', 'for every administrator'),
    ('ada', 'main', 'none', 'not_found', 'a job that does not exist'),
    ('stranger', 'other', 'job', 'not_found', 'a job of another workspace'),
    ('editor', 'main', 'job', 'not_administrator', 'not for an editor'),
    ('lapsed', 'main', 'job', 'not_administrator', 'not for a disabled member'),
    ('nobody', 'main', 'job', 'unauthenticated', 'without a session')) AS v (who, place, key, expected, claim);
SELECT is(pg_temp.list(p_limit => 2), 'ok queued,claimed', 'the first part of two');
SELECT is(
    pg_temp.list(p_cursor => l.body::jsonb ->> 'next_cursor', p_limit => 2), 'ok cancel_requested,cancelled',
        'and the second')
FROM jobs.list_job_audit(fixture.session('ada'), fixture.id('main'), fixture.job(), NULL, 2) AS l;
SELECT is(l.body::jsonb -> 'next_cursor', 'null', 'as many as there are: no more')
FROM jobs.list_job_audit(fixture.session('ada'), fixture.id('main'), fixture.job(), NULL, 4) AS l;
SELECT is(
    pg_temp.list(p_cursor => c.cursor),
    'invalid {"errors": [{"message": "take the cursor from the last answer", "pointer": "/cursor"}]}',
    'no cursor: ' || c.cursor)
FROM unnest('{"",x,-1," 1",9999999999999999999}'::text[]) AS c (cursor);

SELECT * FROM finish();
ROLLBACK;
