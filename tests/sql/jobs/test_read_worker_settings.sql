BEGIN;
SELECT plan(2);

SELECT results_eq(
    $$SELECT s.concurrency, s.lease_seconds FROM jobs.read_worker_settings() AS s$$, $$VALUES (2, 30)$$,
        'the defaults');
UPDATE jobs_store.setting AS s SET value = 7 WHERE s.name = 'WorkerConcurrency';
UPDATE jobs_store.setting AS s SET value = 9 WHERE s.name = 'LeaseSeconds';
SELECT results_eq(
    $$SELECT s.concurrency, s.lease_seconds FROM jobs.read_worker_settings() AS s$$, $$VALUES (7, 9)$$,
        'the present values');

SELECT * FROM finish();
ROLLBACK;
