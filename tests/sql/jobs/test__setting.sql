BEGIN;
SELECT plan(11);

SELECT is(jobs._setting(v.name), v.value, v.name)
FROM (VALUES
    ('MaxPendingPerWorkspace', 10), ('MaxPendingPerActor', 3), ('MaxCreatedPerDay', 100), ('MaxCoursePages', 100000),
    ('CreationsPerMinutePerAddress', 10), ('LeaseSeconds', 30), ('MaxAttempts', 3), ('WorkerConcurrency', 2),
    ('maxattempts', NULL), ('Nothing', NULL)) AS v (name, value);
UPDATE jobs_store.setting AS s SET value = 4 WHERE s.name = 'MaxAttempts';
SELECT is(jobs._setting('MaxAttempts'), 4, 'a value as it is now');

SELECT * FROM finish();
ROLLBACK;
