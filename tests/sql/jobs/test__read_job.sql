BEGIN;
SELECT plan(4);
CALL fixture.world();
CALL fixture.start();

SELECT results_eq(
    $$SELECT r.detail, r.body FROM jobs._read_job(fixture.job()) AS r$$,
    $$VALUES ('{"version": 2, "terminal": false}'::jsonb, jobs._snapshot(fixture.job()))$$,
    'a job with its version');
SELECT is(fixture.advance(), 'ended', 'it ends');
SELECT results_eq(
    $$SELECT r.detail, r.body FROM jobs._read_job(fixture.job()) AS r$$,
    $$VALUES ('{"version": 4, "terminal": true}'::jsonb, jobs._snapshot(fixture.job()))$$, 'a terminal one');
SELECT is_empty($$SELECT FROM jobs._read_job(gen_random_uuid())$$, 'no row where there is no job');

SELECT * FROM finish();
ROLLBACK;
