BEGIN;
SELECT plan(3);
CALL fixture.world();

CALL fixture.queue();
SELECT is(jobs._workspace_of(gen_random_uuid()), NULL, 'a job that is not there is of no workspace');
SELECT is(jobs._workspace_of(NULL), NULL, 'nor is NULL');
SELECT is(
    jobs._workspace_of(fixture.job()), (SELECT j.workspace_id FROM jobs_store.job AS j), 'a job is of its workspace');

SELECT * FROM finish();
ROLLBACK;
