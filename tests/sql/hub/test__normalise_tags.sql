BEGIN;
SELECT plan(19);

SELECT is(n.tags, v.kept, v.claim)
FROM (VALUES
    ('["one"]', 1, 20, ARRAY['one'], 'a tag alone'),
    ('[" b ", "a"]', 1, 20, ARRAY['b', 'a'], 'tags are normalised and keep their order'),
    ('["Über", "ÜBER", "a", "über", "A"]', 1, 20, ARRAY['Über', 'a'],
    'of tags that differ in case only the first counts'),
    ('["E\u0301", "é"]', 1, 20, ARRAY['É'], 'they are compared in their kept form'),
    ('["a", "b", "A", "B"]', 1, 2, ARRAY['a', 'b'], 'repetitions do not count'),
    ('[]', 0, 200, '{}'::text[], 'none, where none is needed')) AS v (given, least, most, kept, claim)
CROSS JOIN LATERAL hub._normalise_tags(v.given::jsonb, v.least, v.most) AS n;
SELECT is(n.errors, NULL, 'no errors where all tags are right') FROM hub._normalise_tags('["a"]', 1, 20) AS n;
SELECT is(cardinality(n.tags), 20, 'twenty different tags are not too many')
FROM hub._normalise_tags((SELECT jsonb_agg('t' || i) FROM generate_series(1, 20) AS i), 1, 20) AS n;

SELECT is(n.errors, v.errors::jsonb, v.claim)
FROM (VALUES
    (NULL, '[{"pointer": "/tags", "message": "send an array of strings"}]', 'tags are missing'),
    ('null', '[{"pointer": "/tags", "message": "send an array of strings"}]', 'tags are null'),
    ('"a"', '[{"pointer": "/tags", "message": "send an array of strings"}]', 'tags are a string'),
    ('{"a": 1}', '[{"pointer": "/tags", "message": "send an array of strings"}]', 'tags are an object'),
    ('[]', '[{"pointer": "/tags", "message": "send 1 to 3 different tags"}]', 'there is none'),
    ('["a", "b", "c", "d"]', '[{"pointer": "/tags", "message": "send 1 to 3 different tags"}]',
    'there is one too many'),
    ('["a", 1, null, true, ["b"], {}, ""]',
     '[{"pointer": "/tags/1", "message": "a tag is a string"},
       {"pointer": "/tags/2", "message": "a tag is a string"},
       {"pointer": "/tags/3", "message": "a tag is a string"},
       {"pointer": "/tags/4", "message": "a tag is a string"},
       {"pointer": "/tags/5", "message": "a tag is a string"},
       {"pointer": "/tags/6", "message": "a tag has 1 to 64 characters"}]',
     'every wrong element is named by its place')) AS v (given, errors, claim)
CROSS JOIN LATERAL hub._normalise_tags(v.given::jsonb, 1, 3) AS n;
SELECT is(n.tags, NULL, 'no tags where one is wrong') FROM hub._normalise_tags('["a", 1]', 1, 20) AS n;
SELECT is(
    jsonb_build_array(jsonb_array_length(n.errors), n.errors -> 0 ->> 'pointer',
    n.errors -> 99 ->> 'pointer'),
    '[100, "/tags/0", "/tags/99"]'::jsonb, 'of many wrong elements the first hundred are named')
FROM hub._normalise_tags((SELECT jsonb_agg(i) FROM generate_series(1, 1000) AS i), 1, 20) AS n;
SELECT is(
    n.errors, jsonb_build_array(hub._error('/tags', 'send 1 to 20 different tags, each once')),
    'more than 10,000 elements are not looked at')
FROM hub._normalise_tags((SELECT jsonb_agg('a'::text) FROM generate_series(1, 10001)), 1, 20) AS n;
SELECT is(n.tags, ARRAY['a'], '10,000 are')
FROM hub._normalise_tags((SELECT jsonb_agg('a'::text) FROM generate_series(1, 10000)), 1, 20) AS n;

SELECT * FROM finish();
ROLLBACK;
