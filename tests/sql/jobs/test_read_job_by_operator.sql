BEGIN;
SELECT plan(2);
CALL fixture.world();
CALL fixture.queue();

SELECT results_eq(
    $$SELECT s.outcome, s.detail, s.body FROM jobs.read_job_by_operator(fixture.job()) AS s$$,
    $$VALUES ('ok', '{"version": 1, "terminal": false}'::jsonb, jobs._snapshot(fixture.job()))$$,
        'the operator sees any job');
SELECT results_eq(
    $$SELECT s.outcome, s.detail, s.body FROM jobs.read_job_by_operator(gen_random_uuid()) AS s$$,
    $$VALUES ('not_found', NULL::jsonb, NULL::text)$$, 'that exists');

SELECT * FROM finish();
ROLLBACK;
