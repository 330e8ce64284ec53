BEGIN;
SELECT plan(10);
CALL fixture.world();

SELECT ok(
    jobs._call_kind('course_tagging', 'normalise', '{}') ? 'errors',
        'a step is the function that the table of kinds names');
SELECT is(jobs._call_kind('archive', s.step, '{}'), NULL, 'a kind without a function has nothing to do: ' || s.step)
FROM unnest('{normalise,describe,plan,advance}'::text[]) AS s (step);
SELECT is(jobs._call_kind('nothing', 'normalise', '{}'), NULL, 'nor has a kind that does not exist');
SELECT is(jobs._call_kind('course_tagging', 'tidy', '{}'), NULL, 'nor a step that does not');

-- A name is only ever a name.
UPDATE jobs_store.kind AS k SET plan_function = '_setting($1) FROM jobs_store.job; --' WHERE k.name = 'archive';
SELECT throws_ok(
    $$SELECT jobs._call_kind('archive', 'plan', '{}')$$, '42883', NULL,
        'a name with SQL in it is a name of no function');
UPDATE jobs_store.kind AS k SET plan_function = 'jsonb_typeof' WHERE k.name = 'archive';
SELECT throws_ok(
    $$SELECT jobs._call_kind('archive', 'plan', '{}')$$, '42883', NULL, 'a function of another schema is none');

-- Every kind's functions are there, take one jsonb and return one.
SELECT is_empty(
    $$SELECT f.name
      FROM jobs_store.kind AS k,
           unnest(ARRAY[k.normalise_function, k.describe_function, k.plan_function, k.advance_function]) AS f (name)
      WHERE k.name <> 'archive' AND f.name IS NOT NULL AND NOT EXISTS (
          SELECT FROM pg_proc AS p
          WHERE p.proname = f.name AND p.pronamespace = 'jobs'::regnamespace
              AND p.proargtypes = ARRAY['jsonb'::regtype]::oidvector AND p.prorettype = 'jsonb'::regtype)$$,
    'every function in the table of kinds exists');

SELECT * FROM finish();
ROLLBACK;
