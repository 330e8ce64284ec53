-- One page error as the snapshot and the error list show it; the words of each code live here.
-- Raises: nothing.
-- Locks: none.
-- Callers: jobs._snapshot, jobs.list_page_errors.
-- Plain SQL, inlined into its callers' queries, so it pins no search_path; they do.
CREATE OR REPLACE FUNCTION jobs._page_error(p_page uuid, p_title text, p_code text)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
    SELECT pg_catalog.jsonb_build_object(
        'page_id', p_page,
        'page_title', p_title,
        'code', p_code,
        'message', CASE p_code
            WHEN 'page_missing' THEN 'The page was deleted before its turn came.'
            WHEN 'page_busy' THEN 'Somebody else was changing the page for more than ten seconds. Tag it again.'
            WHEN 'tags_full' THEN 'The page would have more than 200 tags. Remove some and tag it again.'
            WHEN 'page_rejected' THEN 'The database refused the change of this page. Ask who runs the system.'
        END);
$$;

COMMENT ON FUNCTION jobs._page_error(uuid, text, text) IS 'One page error as clients see it.';
