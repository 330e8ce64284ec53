BEGIN;
SELECT plan(7);

INSERT INTO hub_store.app_user (id, email, name, password_hash, enabled)
VALUES (md5('ada')::uuid, 'ada@example.org', 'Ada', 'x', true), (md5('gone')::uuid, 'gone@example.org', 'Gone', 'x', false);

INSERT INTO hub_store.sign_in_refusal (event, user_id, address, at)
VALUES ('sign_in.failed', md5('ada')::uuid, '192.0.2.1', now()), ('sign_in.failed', NULL, '192.0.2.2', now()),
    ('sign_in.throttled', NULL, 'unknown', now());
CREATE FUNCTION pg_temp.list(p_cursor text DEFAULT NULL, p_limit integer DEFAULT 50) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', l.outcome, l.detail #>> '{errors,0,pointer}', (
        SELECT string_agg(concat_ws(' ', e.event ->> 'event', e.event #>> '{user,email}', e.event ->> 'address'), ', '
            ORDER BY e.place)
        FROM jsonb_array_elements(l.body::jsonb -> 'refusals') WITH ORDINALITY AS e (event, place)))
    FROM hub.list_sign_in_refusals(p_cursor, p_limit) AS l;
$$;
SELECT is(
    pg_temp.list(), 'ok sign_in.throttled unknown, sign_in.failed 192.0.2.2, sign_in.failed ada@example.org 192.0.2.1',
    'newest first');
SELECT is(pg_temp.list(NULL, 2), 'ok sign_in.throttled unknown, sign_in.failed 192.0.2.2', 'in parts');
SELECT is(
    pg_temp.list((SELECT l.body::jsonb ->> 'next_cursor' FROM hub.list_sign_in_refusals(NULL, 2) AS l), 2),
    'ok sign_in.failed ada@example.org 192.0.2.1', 'which go on where the last one ended');
SELECT is((SELECT l.body::jsonb -> 'next_cursor' FROM hub.list_sign_in_refusals(NULL, 3) AS l), 'null', 'to the end');
SELECT is(pg_temp.list(c.cursor), 'invalid /cursor', 'no cursor: ' || c.cursor) FROM unnest('{x,-1}'::text[]) AS c (cursor);
DELETE FROM hub_store.sign_in_refusal;
SELECT is(
    (SELECT l.body FROM hub.list_sign_in_refusals(NULL, 3) AS l), '{"refusals": [], "next_cursor": null}', 'or nothing');

SELECT * FROM finish();
ROLLBACK;
