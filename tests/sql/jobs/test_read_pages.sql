BEGIN;
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
SELECT plan(12);
CALL fixture.world();
CALL fixture.run_backup();
UPDATE hub_store.page AS p SET tags = '{New,"a b"}', updated_at = '2026-03-01 12:00:00.5+02'
WHERE p.id = fixture.page(2);

CREATE FUNCTION pg_temp.read(p_after integer DEFAULT NULL, p_course text DEFAULT 'course')
RETURNS text LANGUAGE sql AS $$
    SELECT format('%s: %s-%s', count(*), min(p.position), max(p.position))
    FROM jobs.read_pages(fixture.job(), fixture.lease(), fixture.id(p_course), p_after) AS p;
$$;
SELECT results_eq(
    $$SELECT p.id, p.position, p.title, p.content, p.tags, p.updated_at
      FROM jobs.read_pages(fixture.job(), fixture.lease(), fixture.id('course'), 1) AS p LIMIT 1$$,
    $$VALUES (fixture.page(2), 2, 'Page 2', E'# Page\r\n\ttab, ünï, 🙂 \n', '{New,"a b"}'::text[],
        '2026-03-01T10:00:00.500000Z')$$,
    'a page as it is, its time as text in UTC');
SELECT is(pg_temp.read(), '3: 1-3', 'all pages in their order');
SELECT is(pg_temp.read(2), '1: 3-3', 'from a position on');
SELECT is(pg_temp.read(3), '0: -', 'to the end');
SELECT is(pg_temp.read(NULL, 'empty'), '0: -', 'an empty course has none');
SELECT is(pg_temp.read(NULL, 'foreign'), '0: -', 'nor has one of another workspace');
SELECT is(pg_temp.read(NULL, 'no such'), '0: -', 'nor one that does not exist');
CALL fixture.grow(350);
UPDATE hub_store.page AS p SET position = 0 WHERE p.id = fixture.page(350);
SELECT is(pg_temp.read(), '100: 0-99', 'a hundred at most, from position 0 on');
UPDATE hub_store.page AS p SET content = repeat('x', 100000) WHERE p.position BETWEEN 101 AND 200;
SELECT is(pg_temp.read(95), '16: 96-111', 'of a megabyte and the one that goes beyond it');
UPDATE hub_store.page AS p SET content = repeat('x', 2097152) WHERE p.position BETWEEN 201 AND 300;
SELECT is(pg_temp.read(200), '1: 201-201', 'one large page at least');
SELECT cmp_ok(
    fixture.reads(
        $$SELECT jobs.read_pages(fixture.job(), fixture.lease(), fixture.id('course'), 10)$$, 'hub_store.page'),
    '<=', 101::bigint, 'no page is read that is not asked for');
SELECT throws_ok(
    $$SELECT jobs.read_pages(fixture.job(), gen_random_uuid(), fixture.id('course'), NULL)$$, 'KH423', NULL,
    'E4: for the holder of the lease');

SELECT * FROM finish();
ROLLBACK;
