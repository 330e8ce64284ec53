BEGIN;
SELECT plan(14);
CALL fixture.world();
CALL fixture.grow(2500);
CALL fixture.queue();

CREATE FUNCTION pg_temp.next(p_from integer, p_limit integer) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', cardinality(n.ids), n.first, n.last, n.ids = ARRAY(
        SELECT fixture.page(p) FROM generate_series(p_from + 1, least(p_from + p_limit, 2500)) AS p))
    FROM (
        SELECT a.ids, ('x' || right(a.ids[1]::text, 8))::bit(32)::integer AS first,
               ('x' || right(a.ids[cardinality(a.ids)]::text, 8))::bit(32)::integer AS last
        FROM (SELECT jobs._next_pages(fixture.job(), p_from, p_limit) AS ids) AS a
    ) AS n;
$$;
SELECT is(pg_temp.next(v.start, v.most), v.expected, v.claim)
FROM (VALUES
    (0, 1, '1 1 1 t', 'the first page'),
    (0, 1000, '1000 1 1000 t', 'a whole chunk'),
    (5, 10, '10 6 15 t', 'some in the middle of a chunk'),
    (999, 1, '1 1000 1000 t', 'the last of a chunk'),
    (999, 2, '2 1000 1001 t', 'from one chunk into the next'),
    (400, 1000, '1000 401 1400 t', 'as many as a chunk holds, from two'),
    (1000, 1000, '1000 1001 2000 t', 'the second chunk'),
    (1990, 1000, '510 1991 2500 t', 'to the end'),
    (2000, 1000, '500 2001 2500 t', 'the last chunk, which is not full'),
    (2499, 1000, '1 2500 2500 t', 'the last page'),
    (2500, 1000, '0 t', 'nothing beyond the end'),
    (3000, 1000, '0 t', 'nor beyond the last chunk'),
    (0, 0, '0 t', 'nothing when nothing is asked for')) AS v (start, most, expected, claim);
SELECT is(jobs._next_pages(gen_random_uuid(), 0, 10), '{}', 'a job without a worklist has none');

SELECT * FROM finish();
ROLLBACK;
