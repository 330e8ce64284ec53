BEGIN;
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
SELECT plan(2);
CALL fixture.world();
CALL fixture.run_backup();

SELECT results_eq(
    $$SELECT o.workspace_id, o.workspace_title, o.courses, o.pages, o.members
      FROM jobs.open_consistent_read(fixture.job(), fixture.lease()) AS o$$,
    $$VALUES (fixture.id('main'), 'Main', 2, 3, 6)$$,
    'what there is in the workspace, and nothing of others');
SELECT throws_ok(
    'SELECT jobs.open_consistent_read(fixture.job(), gen_random_uuid())', 'KH423', NULL, 'E4: for the holder of the lease');

SELECT * FROM finish();
ROLLBACK;
