BEGIN;
SELECT plan(4);

SET LOCAL statement_timeout = '5s';
SET LOCAL lock_timeout = '1s';
SET LOCAL idle_in_transaction_session_timeout = '10s';
SET LOCAL timezone = 'UTC';
SELECT is_empty($$SELECT * FROM jobs.list_missing_limits()$$, 'nothing is missing');
SET LOCAL statement_timeout = 0;
SELECT bag_eq(
    $$SELECT * FROM jobs.list_missing_limits()$$, $$VALUES ('statement_timeout')$$, 'a limit that is off');
SET LOCAL timezone = 'Europe/Berlin';
SELECT bag_eq(
    $$SELECT * FROM jobs.list_missing_limits()$$, $$VALUES ('statement_timeout'), ('TimeZone')$$, 'another time zone');
SET LOCAL lock_timeout = 0;
SET LOCAL idle_in_transaction_session_timeout = 0;
SELECT is((SELECT count(*) FROM jobs.list_missing_limits()), 4::bigint, 'each is named');

SELECT * FROM finish();
ROLLBACK;
