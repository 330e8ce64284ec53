BEGIN;
SELECT plan(4);

SELECT results_eq(
    $$SELECT s.name, s.value, s.minimum, s.maximum
      FROM jobs.list_settings() AS l, jsonb_to_recordset(l.body::jsonb -> 'settings')
          AS s (name text, value integer, minimum integer, maximum integer)$$,
    $$VALUES
        ('CreationsPerMinutePerAddress', 10, 1, 1000000), ('IPv6PrefixLength', 128, 32, 128),
            ('LeaseSeconds', 30, 5, 1000000),
            ('MaxAttempts', 3, 1, 1000000),
        ('MaxBackupSeconds', 3600, 60, 1000000), ('MaxCoursePages', 100000, 1, 1000000),
        ('MaxCreatedPerDay', 100, 0, 1000000),
        ('MaxPendingPerActor', 3, 0, 1000000), ('MaxPendingPerWorkspace', 10, 0, 1000000),
        ('WorkerConcurrency', 2, 1, 1000000)$$,
    'every setting by name, with its default and its range');
SELECT is(l.outcome, 'ok', 'the answer is ok') FROM jobs.list_settings() AS l;
SELECT ok(bool_and(length(s.setting ->> 'description') > 10), 'each says what it is')
FROM jobs.list_settings() AS l, jsonb_array_elements(l.body::jsonb -> 'settings') AS s (setting);
UPDATE jobs_store.setting AS s SET value = 4 WHERE s.name = 'MaxAttempts';
SELECT is(
    jsonb_path_query_first(l.body::jsonb, '$.settings[*] ? (@.name == "MaxAttempts").value'), '4',
        'with its present value')
FROM jobs.list_settings() AS l;

SELECT * FROM finish();
ROLLBACK;
