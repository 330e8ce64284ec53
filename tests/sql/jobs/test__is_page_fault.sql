BEGIN;
SELECT plan(36);

SELECT is(jobs._is_page_fault(c.code), false, 'E2: not the page''s fault: ' || c.code)
FROM unnest('{08000,08006,25001,25006,25P03,40001,40P01,53000,53100,53200,55000,55006,55P03,57000,57014,57P01,58000,
    58030,XX000,XX001,XX002,KH423,KH500,0A000,42501}'::text[]) AS c (code);
SELECT is(jobs._is_page_fault(c.code), true, 'E2: the page''s fault: ' || c.code)
FROM unnest('{22001,22021,23502,23505,23514,44000,54000,P0001,P0002,KI423,54001}'::text[]) AS c (code);

SELECT * FROM finish();
ROLLBACK;
