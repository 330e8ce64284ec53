BEGIN;
SELECT plan(22);
CALL fixture.world();
CREATE FUNCTION pg_temp.list(
    p_who text DEFAULT 'ada', p_workspace text DEFAULT 'main', p_cursor text DEFAULT NULL, p_limit integer DEFAULT 50
)
RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', l.outcome, l.detail, (
        SELECT string_agg(substr(e.event ->> 'event', 5), ',' ORDER BY e.place)
        FROM jsonb_array_elements(l.body::jsonb -> 'events') WITH ORDINALITY AS e (event, place)))
    FROM jobs.list_audit(fixture.session(p_who), fixture.id(p_workspace), p_cursor, p_limit) AS l;
$$;

-- History costs nothing. This comes first: a plan made for an empty table may be kept until the end of a
-- transaction.
INSERT INTO hub_store.workspace (id, title) VALUES (fixture.id('old'), 'Old');
INSERT INTO hub_store.membership (workspace_id, user_id, role)
VALUES (fixture.id('old'), fixture.id('ada'), 'administrator');
INSERT INTO jobs_store.audit_event (at, event, workspace_id, by)
SELECT now(), 'job.old', fixture.id('old'), 'operator' FROM generate_series(1, 5000);
ANALYZE jobs_store.audit_event;
SELECT cmp_ok(
    fixture.reads($$SELECT pg_temp.list('ada', 'old', p_limit => 10)$$, 'jobs_store.audit_event'), '<', 50::bigint,
    'E7: the newest ten of 5,000 are found without the others');
SELECT cmp_ok(
    fixture.reads(format(
        'SELECT pg_temp.list(%L, %L, %L, 10)', 'ada', 'old', (SELECT min(a.id) + 10 FROM jobs_store.audit_event AS a)),
        'jobs_store.audit_event'),
    '<', 50::bigint, 'E7: and the ten oldest of them, without those before');

CALL fixture.queue('first');
CALL fixture.queue('second');
SELECT is(fixture.cancel('first'), 'ok', 'a job is cancelled');
SELECT is(fixture.claim('host:1'), 'second', 'another claimed');
SELECT is(
    fixture.create('x', 'stranger', fixture.tagging('{New}', 'foreign'), 'other'), 'created',
    'and one made elsewhere');

SELECT is(pg_temp.list(v.who, v.place), v.expected, v.claim)
FROM (VALUES
    ('ada', 'main', 'ok claimed,cancelled,cancel_requested,queued,queued',
        'U1: the events of the workspace, newest first'),
    ('stranger', 'other', 'ok queued', 'of each its own'),
    ('editor', 'main', 'not_administrator', 'not for an editor'),
    ('reader', 'main', 'not_administrator', 'not for a reader'),
    ('lapsed', 'main', 'not_administrator', 'not for a disabled member'),
    ('stranger', 'main', 'not_found', 'a workspace of others is not there'),
    ('nobody', 'main', 'unauthenticated', 'without a session')) AS v (who, place, expected, claim);

-- Part by part.
CREATE FUNCTION pg_temp.walk(p_limit integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_cursor text;
    v_walk text := '';
BEGIN
    LOOP
        v_walk := v_walk || '|' || substr(pg_temp.list(p_cursor => v_cursor, p_limit => p_limit), 4);
        SELECT l.body::jsonb ->> 'next_cursor' INTO v_cursor
        FROM jobs.list_audit(fixture.session('ada'), fixture.id('main'), v_cursor, p_limit) AS l;
        EXIT WHEN v_cursor IS NULL;
    END LOOP;
    RETURN v_walk;
END;
$$;
SELECT is(pg_temp.walk(2), '|claimed,cancelled|cancel_requested,queued|queued', 'in parts of two');
SELECT is(
    pg_temp.walk(5), '|claimed,cancelled,cancel_requested,queued,queued', 'in one part, with no empty one after it');
SELECT is(
    pg_temp.list(p_cursor => c.cursor),
    'invalid {"errors": [{"message": "take the cursor from the last answer", "pointer": "/cursor"}]}',
    'no cursor: ' || c.cursor)
FROM unnest('{"",x,-1," 1",1.5,1e3,9999999999999999999,00000000-0000-4000-8000-000000000000}'::text[]) AS c (cursor);

SELECT * FROM finish();
ROLLBACK;
