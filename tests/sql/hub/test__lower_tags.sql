BEGIN;
SELECT plan(4);

SELECT is(
    hub._lower_tags(ARRAY['Ab', 'ÀÉЖΣ', 'NULL', '', 'A b', '"Q', 'B\C', '{X}', NULL]),
    ARRAY['ab', 'àéжσ', 'null', '', 'a b', '"q', 'b\c', '{x}', NULL],
    'every element in lower case, whatever is in it');
SELECT is(hub._lower_tags('{}'), '{}'::text[], 'no tags stay none');
SELECT is(hub._lower_tags(NULL), NULL, 'NULL stays NULL');
SELECT is(
    hub._lower_tags(array_agg(chr(c.point) || 'A')), array_agg(lower(chr(c.point) || 'A')),
    'as lower() of each tag, for every character of the first planes that a tag may hold')
FROM (SELECT generate_series(32, 70000) AS point) AS c
WHERE c.point NOT BETWEEN 55296 AND 57343;

SELECT * FROM finish();
ROLLBACK;
