-- The page ids of a job's worklist from item p_from on (counted from 0), at most p_limit and at most as
-- many as two chunks hold.
-- Raises: nothing; empty beyond the end.
-- Locks: none.
-- Callers: jobs._advance_course_tagging.
CREATE OR REPLACE FUNCTION jobs._next_pages(p_job uuid, p_from integer, p_limit integer)
RETURNS uuid[]
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_ids uuid[];
BEGIN
    SELECT w.page_ids[p_from % 1000 + 1:] INTO v_ids
    FROM jobs_store.worklist AS w
    WHERE w.job_id = p_job AND w.chunk = p_from / 1000;
    IF cardinality(v_ids) < p_limit THEN
        v_ids := v_ids || (
            SELECT w.page_ids
            FROM jobs_store.worklist AS w
            WHERE w.job_id = p_job AND w.chunk = p_from / 1000 + 1);
    END IF;
    RETURN coalesce(v_ids[:p_limit], '{}');
END;
$$;

COMMENT ON FUNCTION jobs._next_pages(uuid, integer, integer) IS 'The next page ids of a worklist.';
