-- Whether an error met while a page was tagged is the page's fault: then the page is recorded as
-- rejected and the job goes on. Lost connections, wrong transaction states, deadlocks, lack of resources,
-- locks, shutdowns, system and internal errors and our own codes are not, and neither are missing rights
-- and objects, which every page would meet: then the whole step is undone.
-- Raises: nothing.
-- Locks: none.
-- Callers: jobs._tag_one_by_one, jobs._tag_block.
-- Plain SQL, inlined into its callers' expressions, so it pins no search_path; every name in it is full.
CREATE OR REPLACE FUNCTION jobs._is_page_fault(p_sqlstate text)
RETURNS boolean
LANGUAGE sql
IMMUTABLE
AS $$
    SELECT pg_catalog.left(p_sqlstate, 2) OPERATOR(pg_catalog.<>) ALL
        ('{08,0A,25,40,42,53,55,57,58,XX,KH}'::pg_catalog.text[])
$$;

COMMENT ON FUNCTION jobs._is_page_fault(text) IS 'Whether an error is the fault of the page that met it.';
