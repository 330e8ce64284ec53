BEGIN;
SELECT plan(2);

SELECT is((SELECT s.concurrency FROM jobs.read_worker_settings() AS s), 2, 'the default');
UPDATE jobs_store.setting AS s SET value = 7 WHERE s.name = 'WorkerConcurrency';
SELECT is((SELECT s.concurrency FROM jobs.read_worker_settings() AS s), 7, 'the present value');

SELECT * FROM finish();
ROLLBACK;
