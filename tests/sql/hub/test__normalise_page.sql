BEGIN;
SELECT plan(14);

SELECT is(
    to_jsonb(n), '{"title": " T ", "content": " C\r\n", "tags": ["a"], "errors": null}'::jsonb,
    'title and content stay as they are, tags are normalised')
FROM hub._normalise_page('{"title": " T ", "content": " C\r\n", "tags": [" a ", "A"]}') AS n;
SELECT is(
    to_jsonb(n), '{"title": "", "content": "", "tags": [], "errors": null}'::jsonb, 'everything may be empty')
FROM hub._normalise_page('{"title": "", "content": "", "tags": []}') AS n;
SELECT is(n.errors, NULL, 'a title may have 10,000 characters of any plane')
FROM hub._normalise_page(
    jsonb_build_object('title', repeat('🙂', 10000), 'content', '', 'tags', '[]'::jsonb)) AS n;
SELECT is(n.errors, NULL, 'content may have 2 MiB')
FROM hub._normalise_page(
    jsonb_build_object('title', '', 'content', repeat('é', 1048576), 'tags', '[]'::jsonb)) AS n;
SELECT is(n.errors, NULL, 'a page may have 200 tags')
FROM (SELECT jsonb_agg('t' || i) AS tags FROM generate_series(1, 200) AS i) AS t
CROSS JOIN LATERAL hub._normalise_page(jsonb_build_object('title', '', 'content', '', 'tags', t.tags)) AS n;

SELECT is(n.errors, v.errors::jsonb, v.claim)
FROM (VALUES
    (NULL, '[{"pointer": "", "message": "send a JSON object with title, content and tags"}]', 'no body'),
    ('[]', '[{"pointer": "", "message": "send a JSON object with title, content and tags"}]', 'an array'),
    ('{}',
     '[{"pointer": "/tags", "message": "send an array of strings"},
       {"pointer": "/title", "message": "send a string"},
       {"pointer": "/content", "message": "send a string"}]', 'members are missing'),
    ('{"title": 1, "content": null, "tags": [1]}',
     '[{"pointer": "/tags/0", "message": "a tag is a string"},
       {"pointer": "/title", "message": "send a string"},
       {"pointer": "/content", "message": "send a string"}]', 'members are of another type'),
    ('{"title": "", "content": "", "tags": [], "id": 1, "a/b~c": 2}',
     '[{"pointer": "/a~1b~0c", "message": "is not known here; leave it out"},
       {"pointer": "/id", "message": "is not known here; leave it out"}]', 'members are unknown'))
    AS v (given, errors, claim)
CROSS JOIN LATERAL hub._normalise_page(v.given::jsonb) AS n;
SELECT is(
    n.errors, '[{"pointer": "/title", "message": "a title has at most 10,000 characters"}]'::jsonb,
    'a title of 10,001 characters')
FROM hub._normalise_page(
    jsonb_build_object('title', repeat('x', 10001), 'content', '', 'tags', '[]'::jsonb)) AS n;
SELECT is(
    n.errors,
    jsonb_build_array(hub._error('/content', 'content has at most 2 MiB (2,097,152 bytes in UTF-8)')),
    'content of 2 MiB and a byte')
FROM hub._normalise_page(
    jsonb_build_object('title', '', 'content', repeat('é', 1048576) || 'x', 'tags', '[]'::jsonb)) AS n;
SELECT is(n.errors, '[{"pointer": "/tags", "message": "send 0 to 200 different tags"}]'::jsonb, '201 tags')
FROM (SELECT jsonb_agg('t' || i) AS tags FROM generate_series(1, 201) AS i) AS t
CROSS JOIN LATERAL hub._normalise_page(jsonb_build_object('title', '', 'content', '', 'tags', t.tags)) AS n;
SELECT is(
    num_nulls(n.title, n.content, n.tags), 3, 'nothing is kept of a page of which anything is wrong')
FROM hub._normalise_page('{"title": "", "content": 1, "tags": ["a"]}') AS n;

SELECT * FROM finish();
ROLLBACK;
