BEGIN;
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
SELECT plan(14);

SELECT throws_ok(
    f.call, 'KH500', 'this function works in a READ COMMITTED transaction only',
    f.call || ' is refused under REPEATABLE READ')
FROM (VALUES
    ('SELECT jobs.charge_request_budget(NULL)'),
    ('SELECT jobs.create_job(NULL, NULL, NULL, NULL, NULL)'),
    ('SELECT jobs.cancel_job(NULL, NULL, NULL, NULL)'),
    ('SELECT jobs.cancel_job_by_operator(NULL)'),
    ('SELECT jobs.download_archive(NULL, NULL, NULL, NULL)'),
    ('SELECT jobs.delete_archive(NULL)'),
    ('SELECT jobs.claim(NULL, NULL)'),
    ('SELECT jobs.advance(NULL, NULL)'),
    ('SELECT jobs.renew(NULL, NULL)'),
    ('SELECT jobs.save_progress(NULL, NULL, NULL, NULL, NULL)'),
    ('SELECT jobs.finish(NULL, NULL)'),
    ('SELECT jobs.release(NULL, NULL)'),
    ('SELECT jobs.sweep(NULL)'),
    ('SELECT jobs.set_setting(NULL, NULL)')) AS f (call);

SELECT * FROM finish();
ROLLBACK;
