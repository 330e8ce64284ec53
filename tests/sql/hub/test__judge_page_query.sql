BEGIN;
SELECT plan(20);

SELECT is(to_jsonb(j), v.expected::jsonb, v.claim)
FROM (VALUES
    (NULL, NULL, 1, '{"tag_key": null, "course_position": -1, "page_position": -1, "errors": null}',
    'nothing asked for'),
    (E' E\u0301a', '3.17', 500,
    '{"tag_key": "éa", "course_position": 3, "page_position": 17, "errors": null}',
     'a tag in any spelling and a place'),
    (NULL, '9999999999.9999999999', 50,
     '{"tag_key": null, "course_position": 9999999999, "page_position": 9999999999, "errors": null}',
     'a place beyond all'))
    AS v (tag, cursor, page_limit, expected, claim)
CROSS JOIN LATERAL hub._judge_page_query(v.tag, v.cursor, v.page_limit) AS j;
SELECT is(
    j.errors, jsonb_build_array(hub._error('/limit', 'send a number from 1 to 500')),
    'limit ' || coalesce(v.page_limit::text, 'NULL'))
FROM (VALUES (0), (501), (-1), (NULL)) AS v (page_limit)
CROSS JOIN LATERAL hub._judge_page_query(NULL, NULL, v.page_limit) AS j;
SELECT is(
    j.errors, jsonb_build_array(hub._error(
        '/cursor', 'send the next_cursor of the answer before, or no cursor')),
    'cursor ' || v.cursor)
FROM (VALUES (''), ('1'), ('1.'), ('1.2.3'), ('1x2'), ('-1.2'), ('1.2 '), ('12345678901.1'), (E'1.2\n'),
    ('١.٢')) AS v (cursor)
CROSS JOIN LATERAL hub._judge_page_query(NULL, v.cursor, 50) AS j;
SELECT is(j.errors, jsonb_build_array(hub._error('/tag', v.problem)), 'tag ' || v.tag)
FROM (VALUES ('', 'a tag has 1 to 64 characters'), ('a,b', 'a tag has no commas')) AS v (tag, problem)
CROSS JOIN LATERAL hub._judge_page_query(v.tag, NULL, 50) AS j;
SELECT is(jsonb_array_length(j.errors), 3, 'all that is wrong is told at once')
FROM hub._judge_page_query('', '', 0) AS j;

SELECT * FROM finish();
ROLLBACK;
