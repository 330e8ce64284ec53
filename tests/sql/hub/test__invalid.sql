BEGIN;
SELECT plan(1);

SELECT is(
    hub._invalid('/title', 'send a string'),
    '{"errors": [{"pointer": "/title", "message": "send a string"}]}'::jsonb,
    'the detail of an invalid answer with one error');

SELECT * FROM finish();
ROLLBACK;
