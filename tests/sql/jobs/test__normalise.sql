BEGIN;
SELECT plan(16);
CALL fixture.world();

SELECT is(
    jsonb_path_query_array(jobs._normalise(v.body), '$.errors[*].pointer'), v.pointers,
    'the shape is wrong: ' || v.claim)
FROM (VALUES
    (NULL::jsonb, '[""]'::jsonb, 'no body'),
    ('null', '[""]', 'null'),
    ('[]', '[""]', 'an array'),
    ('"backup"', '[""]', 'a string'),
    ('7', '[""]', 'a number'),
    ('{}', '["/kind"]', 'no kind'),
    ('{"kind": null}', '["/kind"]', 'kind null'),
    ('{"kind": 7}', '["/kind"]', 'kind a number'),
    ('{"kind": ["archive"]}', '["/kind"]', 'kind an array'),
    ('{"kind": ""}', '["/kind"]', 'kind empty'),
    ('{"kind": "Archive"}', '["/kind"]', 'kind in another case'),
    ('{"kind": "archive; drop"}', '["/kind"]', 'kind unknown'),
    ('{"kind": "archive", "b": 1, "a/~": 2}', '["/a~1~0", "/b"]', 'members a kind without parameters does not know'),
    ('{"kind": "course_tagging", "x": 1}', '["/x", "/course_id", "/tags"]', 'everything about a tagging'))
    AS v (body, pointers, claim);
SELECT is(
    jobs._normalise('{"kind": "archive"}'), '{"kind": "archive", "request": {}, "identity": {}}',
    'a kind without parameters needs nothing but its name');
SELECT is(
    jobs._normalise(fixture.tagging('{New}')),
    jsonb_build_object('kind', 'course_tagging',
        'request', jsonb_build_object('course_id', fixture.id('course'), 'tags', '{New}'::text[]),
        'identity', jsonb_build_object('course_id', fixture.id('course'), 'tags', '{new}'::text[])),
    'a tagging is normalised by its kind');

SELECT * FROM finish();
ROLLBACK;
