BEGIN;
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
SELECT plan(7);
CALL fixture.world();
CALL fixture.run_backup();

CREATE FUNCTION pg_temp.read(p_after integer DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
    SELECT format('%s: %s-%s', count(*), min(c.position), max(c.position))
    FROM jobs.read_courses(fixture.job(), fixture.lease(), p_after) AS c;
$$;
SELECT results_eq(
    'SELECT c.id, c.position, c.title FROM jobs.read_courses(fixture.job(), fixture.lease(), NULL) AS c',
    $$VALUES (fixture.id('course'), 1, 'Course'), (fixture.id('empty'), 2, 'Empty')$$,
    'the courses in their order, and none of other workspaces');
SELECT is(pg_temp.read(1), '1: 2-2', 'from a position on');
SELECT is(pg_temp.read(2), '0: -', 'to the end');
INSERT INTO hub_store.course (workspace_id, position, title)
SELECT fixture.id('main'), n, CASE WHEN n > 200 THEN repeat('🙂', 10000) ELSE '' END
FROM generate_series(3, 250) AS n;
SELECT is(pg_temp.read(), '100: 1-100', 'a hundred at most');
SELECT is(pg_temp.read(190), '37: 191-227', 'of a megabyte and the one that goes beyond it');
SELECT is(pg_temp.read(249), '1: 250-250', 'the last one');
SELECT throws_ok(
    'SELECT jobs.read_courses(fixture.job(), gen_random_uuid(), NULL)', 'KH423', NULL, 'E4: for the holder of the lease');

SELECT * FROM finish();
ROLLBACK;
