BEGIN;
SELECT plan(1);
CALL fixture.world();

SELECT results_eq(
    $$SELECT k.kind FROM jobs.list_sql_kinds() AS k$$, $$VALUES ('course_tagging')$$,
        'E6: kinds with steps in this database');

SELECT * FROM finish();
ROLLBACK;
