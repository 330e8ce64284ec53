BEGIN;
SELECT plan(8);

INSERT INTO hub_store.app_user (id, email, name, password_hash, enabled)
VALUES (md5('ada')::uuid, 'ada@example.org', 'Ada', 'x', true), (md5('gone')::uuid, 'gone@example.org', 'Gone', 'x', false);

INSERT INTO hub_store.session (id, token_hash, user_id)
VALUES (md5('1')::uuid, sha256('1'), md5('ada')::uuid), (md5('2')::uuid, sha256('2'), md5('ada')::uuid),
    (md5('3')::uuid, sha256('3'), md5('ada')::uuid), (md5('4')::uuid, sha256('4'), md5('gone')::uuid);
CREATE FUNCTION pg_temp.finish(p_email text, p_session text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', e.outcome, e.detail ->> 'missing', e.detail ->> 'ended')
    FROM hub.end_sessions(p_email, md5(p_session)::uuid) AS e;
$$;
SELECT is(pg_temp.finish('ADA@example.org', '1'), 'ok 1', 'one session is ended');
SELECT is(pg_temp.finish('ada@example.org', '1'), 'not_found session', 'once');
SELECT is(pg_temp.finish('ada@example.org', '4'), 'not_found session', 'and no session of another user');
SELECT is(pg_temp.finish('nobody@example.org', '1'), 'not_found user', 'there is no such user');
SELECT is(pg_temp.finish('ada@example.org', NULL), 'ok 2', 'all others are ended');
SELECT is(pg_temp.finish('ada@example.org', NULL), 'ok 0', 'where there are any');
SELECT results_eq($$SELECT s.id FROM hub_store.session AS s$$, $$VALUES (md5('4')::uuid)$$, 'nobody else notices');
SELECT results_eq(
    $$SELECT a.event, a.detail -> 'ended' FROM jobs_store.audit_event AS a ORDER BY a.id$$,
    $$VALUES ('user.sessions_ended', '1'::jsonb), ('user.sessions_ended', '2')$$, 'U1: it is on the trail');

SELECT * FROM finish();
ROLLBACK;
