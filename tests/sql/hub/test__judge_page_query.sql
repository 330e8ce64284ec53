BEGIN;
SELECT plan(16);

SELECT is(to_jsonb(j), v.expected::jsonb, v.claim)
FROM (VALUES
    (NULL, NULL, '{"tag_key": null, "course_position": -1, "page_position": -1, "errors": null}',
    'nothing asked for'),
    (E' E\u0301a', '3.17',
    '{"tag_key": "éa", "course_position": 3, "page_position": 17, "errors": null}',
     'a tag in any spelling and a place'),
    (NULL, '9999999999.9999999999',
     '{"tag_key": null, "course_position": 9999999999, "page_position": 9999999999, "errors": null}',
     'a place beyond all'))
    AS v (tag, cursor, expected, claim)
CROSS JOIN LATERAL hub._judge_page_query(v.tag, v.cursor) AS j;
SELECT is(
    j.errors, jsonb_build_array(hub._error('/cursor', 'take the cursor from the last answer')),
    'cursor ' || v.cursor)
FROM (VALUES (''), ('1'), ('1.'), ('1.2.3'), ('1x2'), ('-1.2'), ('1.2 '), ('12345678901.1'), (E'1.2\n'),
    ('١.٢')) AS v (cursor)
CROSS JOIN LATERAL hub._judge_page_query(NULL, v.cursor) AS j;
SELECT is(j.errors, jsonb_build_array(hub._error('/tag', v.problem)), 'tag ' || v.tag)
FROM (VALUES ('', 'a tag has 1 to 64 characters'), ('a,b', 'a tag has no commas')) AS v (tag, problem)
CROSS JOIN LATERAL hub._judge_page_query(v.tag, NULL) AS j;
SELECT is(jsonb_array_length(j.errors), 2, 'all that is wrong is told at once')
FROM hub._judge_page_query('', '') AS j;

SELECT * FROM finish();
ROLLBACK;
