BEGIN;
SELECT plan(14);
CALL fixture.world();
CALL fixture.start();

CREATE FUNCTION pg_temp.read(p_who text, p_workspace text DEFAULT 'main', p_key text DEFAULT 'job')
RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', r.outcome, r.detail, r.body = jobs._snapshot(fixture.job(p_key)))
    FROM jobs.read_job(fixture.session(p_who), fixture.id(p_workspace), fixture.job(p_key)) AS r;
$$;
SELECT is(pg_temp.read(v.who, v.place, v.key), v.expected, v.claim)
FROM (VALUES
    ('ada', 'main', 'job', 'ok {"version": 2, "terminal": false} t', 'V3: its snapshot and version'),
    ('ben', 'main', 'job', 'ok {"version": 2, "terminal": false} t', 'for every administrator of the workspace'),
    ('editor', 'main', 'job', 'not_administrator', 'not for an editor'),
    ('reader', 'main', 'job', 'not_administrator', 'not for a reader'),
    ('lapsed', 'main', 'job', 'not_administrator', 'not with a disabled membership'),
    ('stranger', 'main', 'job', 'not_found', 'a workspace of others is not there'),
    ('stranger', 'other', 'job', 'not_found', 'nor is a job of another workspace'),
    ('ada', 'main', 'none', 'not_found', 'nor a job that does not exist'),
    ('nobody', 'main', 'job', 'unauthenticated', 'without a session')) AS v (who, place, key, expected, claim);
SELECT is(fixture.advance(), 'ended', 'it ends');
SELECT is(pg_temp.read('ada'), 'ok {"version": 4, "terminal": true} t', 'V3: a terminal job');
CALL fixture.remember();
UPDATE hub_store.session AS s SET last_seen_at = clock_timestamp() - interval '30 minutes'
    WHERE s.user_id = fixture.id('ada');
SELECT is(pg_temp.read('ada'), 'unauthenticated', 'an idle session is over');
CALL fixture.revoke('ben', 'user');
SELECT is(pg_temp.read('ben'), 'unauthenticated', 'a disabled user has none');
SELECT ok(fixture.unchanged(), 'a read changes nothing');

SELECT * FROM finish();
ROLLBACK;
