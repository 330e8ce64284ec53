BEGIN;
SELECT plan(4);

CALL fixture.world();
CALL fixture.queue();
SELECT is(s.outcome, 'ok', 'a setting is changed') FROM jobs.set_setting('MaxAttempts', 4) AS s;
SELECT is(s.outcome, 'ok', 'a user disabled') FROM hub.set_user_enabled('ben@example.org', false) AS s;
CREATE FUNCTION pg_temp.list(p_cursor text DEFAULT NULL, p_limit integer DEFAULT 50) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', l.outcome, (
        SELECT string_agg(e.event ->> 'event', ',' ORDER BY e.place)
        FROM jsonb_array_elements(l.body::jsonb -> 'events') WITH ORDINALITY AS e (event, place)))
    FROM jobs.list_hub_audit(p_cursor, p_limit) AS l;
$$;
SELECT is(pg_temp.list(), 'ok user.disabled,setting.changed', 'U1: newest first, and none of a workspace');
SELECT is(
    pg_temp.list((SELECT l.body::jsonb ->> 'next_cursor' FROM jobs.list_hub_audit(NULL, 1) AS l), 1),
    'ok setting.changed', 'in parts');

SELECT * FROM finish();
ROLLBACK;
