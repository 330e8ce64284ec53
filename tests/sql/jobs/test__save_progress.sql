BEGIN;
SELECT plan(12);
CALL fixture.world();
CALL fixture.start();

CREATE FUNCTION pg_temp.row() RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', j.version, fixture.progress(), j.notified_at = j.created_at,
        j.lease_until > clock_timestamp() + interval '29 s')
    FROM jobs_store.job AS j;
$$;
UPDATE jobs_store.job AS j SET lease_until = clock_timestamp() + interval '1 second', notified_at = j.created_at;
SELECT is(pg_temp.row(), '2 0/3 0+0+0 t f', 'a lease that is nearly over');
SELECT is(jobs._save_progress(fixture.job(), 3, 0, 0, 0, 0)::text, '', 'nothing new');
SELECT is(pg_temp.row(), '2 0/3 0+0+0 t t', 'V1: renews the lease and leaves the version');
UPDATE jobs_store.job AS j SET notified_at = clock_timestamp() + interval '1 hour';
SELECT is(jobs._save_progress(fixture.job(), 3, 2, 1, 0, 1)::text, '', 'progress');
SELECT is(pg_temp.row(), '3 2/3 1+0+1 f t', 'V1: raises the version by one');
SELECT ok(
    (SELECT j.notified_at > clock_timestamp() FROM jobs_store.job AS j), 'soon after a notification nobody is told');
UPDATE jobs_store.job AS j SET notified_at = clock_timestamp() - interval '201 milliseconds';
SELECT is(jobs._save_progress(fixture.job(), 3, 2, 1, 0, 1)::text, '', 'nothing new');
SELECT ok(
    (SELECT j.notified_at < clock_timestamp() - interval '200 milliseconds' FROM jobs_store.job AS j),
    'is nothing to tell');
SELECT is(jobs._save_progress(fixture.job(), 3, 3, 1, 1, 1)::text, '', 'progress 200 ms after the last notification');
SELECT ok(
    (SELECT j.notified_at > clock_timestamp() - interval '1 second' AND j.notified_at > now()
        FROM jobs_store.job AS j), 'is told');
SELECT throws_ok(
    $$SELECT jobs._save_progress(fixture.job(), 3, 4, 2, 1, 1)$$, '23514', NULL, 'E3: more than all is refused');
SELECT throws_ok(
    $$SELECT jobs._save_progress(fixture.job(), 3, 3, 3, 1, 1)$$, '23514', NULL, 'E3: and counters that do not add up');

SELECT * FROM finish();
ROLLBACK;
