BEGIN;
SELECT plan(14);

SELECT is(jobs._failure(c.code) ->> 'code', c.code, 'a failure has its code: ' || c.code)
FROM unnest('{actor_not_authorised,attempts_exhausted,worker_error,storage_full,storage_error}'::text[]) AS c (code);
SELECT matches(jobs._failure(c.code) ->> 'message', '^[A-Z].{20,}[.]$', 'and words: ' || c.code)
FROM unnest('{actor_not_authorised,attempts_exhausted,worker_error,storage_full,storage_error}'::text[]) AS c (code);
SELECT is(jobs._failure(c.code), NULL, 'no failure: ' || coalesce(c.code, 'NULL'))
FROM unnest('{page_missing,"",Worker_Error,NULL}'::text[]) AS c (code);

SELECT * FROM finish();
ROLLBACK;
