-- Keeps a page that could not be tagged with its title as it is now; the first 100 of a job are kept,
-- and since pages are visited in page id order those are the first by page id.
-- Raises: nothing.
-- Locks: none.
-- Callers: jobs._tag_one_by_one.
CREATE OR REPLACE FUNCTION jobs._record_page_error(p_job uuid, p_page uuid, p_code text)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO jobs_store.page_error (job_id, page_id, page_title, code)
    SELECT p_job, p_page, (SELECT p.title FROM hub_store.page AS p WHERE p.id = p_page), p_code
    WHERE (SELECT count(*) FROM jobs_store.page_error AS e WHERE e.job_id = p_job) < 100;
END;
$$;

COMMENT ON FUNCTION jobs._record_page_error(uuid, uuid, text) IS 'Keeps a page that could not be tagged.';
