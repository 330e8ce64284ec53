BEGIN;
SELECT plan(6);

SELECT is(
    jobs._page_error('00000000-0000-4000-8000-000000000001', 'A "title"', 'page_missing'),
    '{"page_id": "00000000-0000-4000-8000-000000000001", "page_title": "A \"title\"", "code": "page_missing",
      "message": "The page was deleted before its turn came."}', 'a page error as clients see it');
SELECT is(
    jobs._page_error('00000000-0000-4000-8000-000000000001', NULL, 'page_missing') -> 'page_title', 'null',
    'a page without a title');
SELECT matches(
    jobs._page_error(NULL, NULL, c.code) ->> 'message', '^[A-Z].{20,}[.]$', 'every code has words: ' || c.code)
FROM unnest('{page_missing,page_busy,tags_full,page_rejected}'::text[]) AS c (code);

SELECT * FROM finish();
ROLLBACK;
