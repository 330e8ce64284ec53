BEGIN;
SELECT plan(22);
CALL fixture.world();

CREATE FUNCTION pg_temp.cancel(p_who text, p_key text, p_workspace text DEFAULT 'main') RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', c.outcome, c.detail, c.body::jsonb ->> 'state')
    FROM jobs.cancel_job(fixture.session(p_who), fixture.id(p_workspace), fixture.job(p_key), '192.0.2.3') AS c;
$$;
CALL fixture.start('running');
CALL fixture.queue('queued');
CALL fixture.remember();
SELECT is(pg_temp.cancel(v.who, 'running', v.place), v.expected, 'A5: ' || v.claim)
FROM (VALUES
    ('editor', 'main', 'not_administrator', 'an editor is refused'),
    ('reader', 'main', 'not_administrator', 'a reader is refused'),
    ('lapsed', 'main', 'not_administrator', 'a disabled membership is refused'),
    ('stranger', 'main', 'not_found', 'a workspace of others is not there'),
    ('stranger', 'other', 'not_found', 'nor is a job of another workspace'),
    ('nobody', 'main', 'unauthenticated', 'an unknown session is none')) AS v (who, place, expected, claim);
SELECT is(pg_temp.cancel('ada', 'no such key'), 'not_found', 'a job that does not exist');
CALL fixture.revoke('ada', 'user');
SELECT is(pg_temp.cancel('ada', 'running'), 'unauthenticated', 'A5: a disabled user is refused his own job');
UPDATE hub_store.app_user AS u SET enabled = true;
CALL fixture.revoke('ada', 'role');
SELECT is(pg_temp.cancel('ada', 'running'), 'not_administrator', 'A5: who lost the right, too');
UPDATE hub_store.membership AS m SET role = 'administrator' WHERE m.user_id = fixture.id('ada');
UPDATE hub_store.session AS s SET last_seen_at = clock_timestamp() - interval '30 minutes'
    WHERE s.user_id = fixture.id('ada');
SELECT is(pg_temp.cancel('ada', 'running'), 'unauthenticated', 'A5: an idle session is over');
SELECT ok(fixture.unchanged(), 'A5: a refusal changes nothing');

SELECT is(
    pg_temp.cancel('ben', 'running'), 'asked {"version": 3, "terminal": false} running',
    'A5: any administrator of the workspace may; C2: a running job is asked');
SELECT is(
    pg_temp.cancel('cyd', 'running'), 'ok {"version": 3, "terminal": false} running',
        'C1: asked before, the current job');
SELECT is(
    pg_temp.cancel('ben', 'queued'), 'ok {"version": 2, "terminal": true} cancelled',
        'C2: a queued job is cancelled at once');
SELECT is(
    pg_temp.cancel('ben', 'queued'), 'ok {"version": 2, "terminal": true} cancelled',
        'C1: cancelled before, the current job');
SELECT results_eq(
    $$SELECT a.event, a.actor_name, a.by, a.address FROM jobs_store.audit_event AS a
      WHERE a.job_id = fixture.job('queued') AND a.event <> 'job.queued' ORDER BY a.id$$,
    $$VALUES ('job.cancel_requested', 'Ben', 'user', '192.0.2.3'::inet),
        ('job.cancelled', 'Ben', 'user', '192.0.2.3')$$,
    'U1: two events, by whom and from where');
CALL fixture.start('ended', fixture.tagging(), 'cyd');
SELECT is(fixture.advance('ended'), 'ended', 'a job ends');
SELECT is(
    pg_temp.cancel('ben', 'ended'), 'terminal {"version": 4, "terminal": true} succeeded',
        'C3: and cannot be cancelled');
SELECT is(c.body, jobs._snapshot(fixture.job('ended')), 'V3: the body is the snapshot')
FROM jobs.cancel_job(fixture.session('ben'), fixture.id('main'), fixture.job('ended'), NULL) AS c;

-- Refusals are on the trail, too.
SELECT results_eq(
    $$SELECT a.actor_name, (a.detail ->> 'job_id')::uuid, a.by, a.address FROM jobs_store.audit_event AS a
      WHERE a.event = 'job.cancel_refused' ORDER BY a.id$$,
    $$SELECT v.name, fixture.job(v.key), 'user', '192.0.2.3'::inet
      FROM (VALUES ('Editor', 'running'), ('Reader', 'running'), ('Lapsed', 'running'),
          ('Ada', 'running')) AS v (name, key)$$,
    'U1: members who may not are recorded, strangers are not');
SELECT is(pg_temp.cancel('editor', 'running'), 'not_administrator', 'asking again');
SELECT is(
    (SELECT count(*) FROM jobs_store.audit_event AS a WHERE a.event = 'job.cancel_refused'), 4::bigint,
    'U1: adds nothing for a minute');

SELECT * FROM finish();
ROLLBACK;
