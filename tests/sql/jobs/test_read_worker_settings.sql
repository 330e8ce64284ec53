BEGIN;
SELECT plan(4);

SELECT is((SELECT s.concurrency FROM jobs.read_worker_settings() AS s), 2, 'the default');
UPDATE jobs_store.setting AS s SET value = 7 WHERE s.name = 'WorkerConcurrency';
SELECT is((SELECT s.concurrency FROM jobs.read_worker_settings() AS s), 7, 'the present value');
UPDATE jobs_store.setting AS s SET value = 1000000 WHERE s.name = 'WorkerConcurrency';
SELECT is(
    (SELECT s.concurrency FROM jobs.read_worker_settings() AS s),
    (current_setting('max_connections')::integer - 10) / 3, 'and never more than there are connections for');
SET SESSION AUTHORIZATION hub_worker;
SELECT '#', set_config('test.concurrency', s.concurrency::text, true) FROM jobs.read_worker_settings() AS s;
RESET SESSION AUTHORIZATION;
SELECT is(
    current_setting('test.concurrency')::integer, (current_setting('max_connections')::integer * 6 / 10 - 10) / 3,
    'for the worker''s role');

SELECT * FROM finish();
ROLLBACK;
