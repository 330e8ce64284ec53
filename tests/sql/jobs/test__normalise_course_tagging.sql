BEGIN;
SELECT plan(32);

CREATE FUNCTION pg_temp.body(p_tags jsonb, p_course jsonb DEFAULT '"00000000-0000-4000-8000-000000000abc"')
RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object('kind', 'course_tagging', 'course_id', p_course, 'tags', p_tags);
$$;

SELECT is(
    jsonb_path_query_array(jobs._normalise_course_tagging(v.body), '$.errors[*].pointer'), v.pointers,
    'the shape is wrong: ' || v.claim)
FROM (VALUES
    ('{"kind": "course_tagging"}'::jsonb, '["/course_id", "/tags"]'::jsonb, 'nothing but the kind'),
    (pg_temp.body('["a"]', 'null'), '["/course_id"]', 'course_id null'),
    (pg_temp.body('["a"]', '7'), '["/course_id"]', 'course_id a number'),
    (pg_temp.body('["a"]', '""'), '["/course_id"]', 'course_id empty'),
    (pg_temp.body('["a"]', '"00000000000040008000000000000abc"'), '["/course_id"]', 'course_id without hyphens'),
    (pg_temp.body('["a"]', '"{00000000-0000-4000-8000-000000000abc}"'), '["/course_id"]', 'course_id in braces'),
    (pg_temp.body('["a"]', '" 00000000-0000-4000-8000-000000000abc"'), '["/course_id"]', 'course_id after a space'),
    (pg_temp.body('["a"]', '["00000000-0000-4000-8000-000000000abc"]'), '["/course_id"]', 'course_id in an array'),
    (pg_temp.body('null'), '["/tags"]', 'tags null'),
    (pg_temp.body('"a"'), '["/tags"]', 'tags a string'),
    (pg_temp.body('{"0": "a"}'), '["/tags"]', 'tags an object'),
    (pg_temp.body('[]'), '["/tags"]', 'no tags'),
    (pg_temp.body((SELECT jsonb_agg('t' || n) FROM generate_series(1, 21) AS n)), '["/tags"]', '21 tags'),
    (pg_temp.body('["a", 1, "b", null]'), '["/tags/1", "/tags/3"]', 'a number and a null among the tags'),
    (pg_temp.body('[["a"]]'), '["/tags/0"]', 'an array among the tags'),
    (pg_temp.body('["a", ""]'), '["/tags/1"]', 'an empty tag'),
    (pg_temp.body('["\u3000 \t"]'), '["/tags/0"]', 'a tag of white space'),
    (pg_temp.body(jsonb_build_array(repeat('x', 65))), '["/tags/0"]', 'a tag of 65 code points'),
    (pg_temp.body('["a,b"]'), '["/tags/0"]', 'a comma'),
    (pg_temp.body('["a\u0007b"]'), '["/tags/0"]', 'a control character'),
    (pg_temp.body('["a\u009fb"]'), '["/tags/0"]', 'a control character above ASCII'),
    (pg_temp.body('["a"]') || '{"b/c": 1, "dry~run": true}', '["/b~1c", "/dry~0run"]', 'unknown members'),
    (pg_temp.body('[]', '7') || '{"x": 1}', '["/x", "/course_id", "/tags"]', 'all at once'))
    AS v (body, pointers, claim);

SELECT is(
    jobs._normalise_course_tagging(v.body) -> 'request' -> 'tags', v.tags::jsonb, 'tags are kept: ' || v.claim)
FROM (VALUES
    (pg_temp.body('["  Old\u00a0\t Plan\u2003"]'), '["Old Plan"]', 'trimmed, white space collapsed'),
    (pg_temp.body('["E\u0301te\u0301"]'), '["Été"]', 'in NFC'),
    (pg_temp.body('["b", "Old Plan", "B", "OLD  plan", "a"]'), '["b", "Old Plan", "a"]',
        'in their order, the first spelling of each'),
    (pg_temp.body((SELECT jsonb_agg('t' || n % 20) FROM generate_series(0, 99) AS n)),
        (SELECT jsonb_agg('t' || n)::text FROM generate_series(0, 19) AS n), '20 different ones of 100'),
    (pg_temp.body(jsonb_build_array(repeat('🙂', 64))), jsonb_build_array(repeat('🙂', 64))::text,
        'of 64 code points'))
    AS v (body, tags, claim);
SELECT is(
    jobs._normalise_course_tagging(pg_temp.body('["a"]', '"00000000-0000-4000-8000-000000000ABC"'))
        #>> '{request,course_id}',
    '00000000-0000-4000-8000-000000000abc', 'the course id is kept in lower case');
SELECT is(
    jobs._normalise_course_tagging(pg_temp.body('["b", "Old Plan", "É"]')) -> 'identity',
    '{"course_id": "00000000-0000-4000-8000-000000000abc", "tags": ["b", "old plan", "é"]}',
    'A4: the identity holds the tags as a set, sorted and in lower case');
SELECT is(
    jobs._normalise_course_tagging(pg_temp.body('["É", "b", "Old Plan"]')) -> 'identity',
    jobs._normalise_course_tagging(pg_temp.body('["E\u0301", "OLD plan", "B", "b"]')) -> 'identity',
    'A4: other words for the same request have the same identity');
SELECT is(
    jobs._normalise_course_tagging(pg_temp.body('["a"]')) #> '{errors}', NULL, 'and no errors where there are none');

SELECT * FROM finish();
ROLLBACK;
