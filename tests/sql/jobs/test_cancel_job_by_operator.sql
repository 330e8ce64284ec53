BEGIN;
SELECT plan(9);
CALL fixture.world();

CREATE FUNCTION pg_temp.cancel(p_key text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', c.outcome, c.detail, c.body::jsonb ->> 'state')
    FROM jobs.cancel_job_by_operator(fixture.job(p_key)) AS c;
$$;
CALL fixture.start('running');
CALL fixture.queue('queued');
SELECT is(pg_temp.cancel('no such key'), 'not_found', 'a job that does not exist');
SELECT is(pg_temp.cancel('running'), 'asked {"version": 3, "terminal": false} running', 'A5: a running job is asked');
SELECT is(pg_temp.cancel('running'), 'ok {"version": 3, "terminal": false} running', 'C1: once');
SELECT is(pg_temp.cancel('queued'), 'ok {"version": 2, "terminal": true} cancelled', 'A5: a queued one is cancelled');
SELECT is(
    fixture.events('queued'), 'queued by user, cancel_requested by operator, cancelled by operator',
    'U1: the events say by whom');
SELECT is(fixture.advance('running'), 'ended', 'the running one stops');
SELECT is(
    fixture.events('running'), 'queued by user, claimed by worker, cancel_requested by operator, cancelled by worker',
    'U1: and its worker says that it did');
CALL fixture.start('ended');
SELECT is(fixture.advance('ended'), 'ended', 'a job ends');
SELECT is(
    pg_temp.cancel('ended'), 'terminal {"version": 4, "terminal": true} succeeded', 'C3: and cannot be cancelled');

SELECT * FROM finish();
ROLLBACK;
