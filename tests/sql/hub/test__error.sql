BEGIN;
SELECT plan(1);

SELECT is(
    hub._error('/tags/3', 'a "word"'), '{"pointer": "/tags/3", "message": "a \"word\""}'::jsonb,
    'an entry of errors');

SELECT * FROM finish();
ROLLBACK;
