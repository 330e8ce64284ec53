BEGIN;
SELECT plan(5);

SELECT is(
    hub._unknown_members('{"a": 1, "b": 2}', ARRAY['a', 'b', 'c']), '[]'::jsonb,
    'no error where all members are known');
SELECT is(hub._unknown_members('{}', '{}'), '[]'::jsonb, 'nor where there is none');
SELECT is(
    (SELECT array_agg(e.value ->> 'pointer')
     FROM jsonb_array_elements(hub._unknown_members('{"a": 1, "b/c": 2, "~": 3, "~1": 4, "": 5, "ä": 6}',
     ARRAY['a'])) AS e),
    ARRAY['/', '/b~1c', '/~0', '/~01', '/ä'],
    'every other member has an error at its JSON pointer, with ~ and / escaped');
SELECT is(
    hub._unknown_members('{"b": 2}', ARRAY['a']),
    '[{"pointer": "/b", "message": "is not known here; leave it out"}]'::jsonb,
    'the message says what to do');
SELECT is(
    jsonb_array_length(
        hub._unknown_members((SELECT jsonb_object_agg(i, i) FROM generate_series(1, 1000) AS i), '{}')),
    100, 'of many the first hundred are named');

SELECT * FROM finish();
ROLLBACK;
