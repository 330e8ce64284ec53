BEGIN;
SELECT plan(2);
CALL fixture.world();
CALL fixture.queue();

-- What a listener gets is seen by tests that commit; here: it never fails, whatever the job holds.
UPDATE jobs_store.job AS j SET request = jsonb_build_object('tags', repeat('🙂', 3000));
SELECT lives_ok($$SELECT jobs._notify(fixture.job())$$, 'a job of more than 8,000 bytes can be told of');
SELECT lives_ok($$SELECT jobs._notify(gen_random_uuid())$$, 'and one that is not there is no error');

SELECT * FROM finish();
ROLLBACK;
