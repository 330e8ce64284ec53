BEGIN;
SELECT plan(1);

SELECT is(jobs.schema_version(), 3, 'the version that the programs of this tree need');

SELECT * FROM finish();
ROLLBACK;
