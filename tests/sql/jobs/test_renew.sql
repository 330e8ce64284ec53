BEGIN;
SELECT plan(11);
CALL fixture.world();
CALL fixture.start();

CREATE FUNCTION pg_temp.renew() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_answer text;
BEGIN
    SELECT concat_ws(' ', r.stop_requested, r.version) INTO v_answer
        FROM jobs.renew(fixture.job(), fixture.lease()) AS r;
    RETURN (SELECT v_answer || ' ' || round(extract(epoch FROM j.lease_until - clock_timestamp()))
        FROM jobs_store.job AS j);
END;
$$;
UPDATE jobs_store.job AS j SET lease_until = clock_timestamp() + interval '1 second';
CREATE TEMPORARY TABLE snapshot ON COMMIT DROP AS SELECT jobs._snapshot(fixture.job()) AS body;
SELECT is(pg_temp.renew(), 'f 2 30', 'a lease is renewed from now on');
SELECT is(jobs._snapshot(fixture.job()), s.body, 'V1: the version stays, for nothing is to be seen') FROM snapshot AS s;
SELECT is(fixture.events(), 'queued by user, claimed by worker', 'U1: no event tells of it');
SELECT is(fixture.cancel(), 'asked', 'asked to stop');
SELECT is(pg_temp.renew(), 't 3 30', 'C2: the holder learns of a request');
UPDATE jobs_store.job AS j SET cancel_requested_at = NULL;
CALL fixture.revoke('ada', 'user');
SELECT is(pg_temp.renew(), 't 3 30', 'E1: and of lost rights: the user is disabled');
UPDATE hub_store.app_user AS u SET enabled = true;
CALL fixture.revoke('ada', 'membership');
SELECT is(pg_temp.renew(), 't 3 30', 'E1: the membership is disabled');
UPDATE hub_store.membership AS m SET enabled = true;
CALL fixture.revoke('ada', 'role');
SELECT is(pg_temp.renew(), 't 3 30', 'E1: the role is another');
UPDATE hub_store.membership AS m SET role = 'administrator' WHERE m.user_id = fixture.id('ada');
SELECT is(pg_temp.renew(), 'f 3 30', 'E1: and of rights that are there again');
UPDATE jobs_store.setting AS s SET value = 5 WHERE s.name = 'LeaseSeconds';
SELECT is(pg_temp.renew(), 'f 3 30', 'E4: a renewal lasts as long as its holder was told, whatever the setting is now');
CALL fixture.expire();
SELECT throws_ok($$SELECT pg_temp.renew()$$, 'KH423', NULL, 'E4: a lease that is over is not renewed');

SELECT * FROM finish();
ROLLBACK;
