BEGIN;
SELECT plan(7);
CALL fixture.world();
CALL fixture.queue();

SELECT is(jobs._record_page_error(fixture.job(), fixture.page(1), 'tags_full')::text, '', 'a page is recorded');
SELECT is(jobs._record_page_error(fixture.job(), fixture.page(9), 'page_missing')::text, '', 'one that is gone too');
SELECT results_eq(
    $$SELECT e.page_id, e.page_title, e.code FROM jobs_store.page_error AS e WHERE e.job_id = fixture.job()
        ORDER BY 1$$,
    $$VALUES (fixture.page(1), 'Page 1', 'tags_full'), (fixture.page(9), NULL, 'page_missing')$$,
    'with its title as it is now, or none');
SELECT throws_ok(
    $$SELECT jobs._record_page_error(fixture.job(), fixture.page(2), 'page_odd')$$, '23514', NULL,
        'the code must be known');
UPDATE hub_store.page AS p SET title = repeat('🙂', 10000) WHERE p.id = fixture.page(2);
SELECT lives_ok(
    $$SELECT jobs._record_page_error(fixture.job(), fixture.page(2), 'page_rejected')$$, 'the longest title is kept');
SELECT is(
    count(jobs._record_page_error(fixture.job(), fixture.page(n), 'page_missing')::text), 120::bigint,
    '120 more are given to it')
FROM generate_series(10, 129) AS n;
SELECT results_eq(
    $$SELECT count(*), max(e.page_id::text) FROM jobs_store.page_error AS e WHERE e.job_id = fixture.job()$$,
    $$VALUES (100::bigint, fixture.page(106)::text)$$, 'and the first 100 are kept');

SELECT * FROM finish();
ROLLBACK;
