-- Tags a block of pages, in one statement: all of them, or none when there is anything to decide about
-- one (somebody holds it, it is gone, has one of the tags or too many, is refused by the database), when
-- rights are lost meanwhile, or when p_deadline comes first. Then they are taken one by one, which is
-- half as fast. Rights are read anew before each page, as there. p_keys are the lower() forms of p_tags.
-- Answers: whether they are tagged.
-- Raises: what is not a page's fault (jobs._is_page_fault): 55P03 when the table is locked.
-- Locks: page (never waits for one); not all of them when the answer is no.
-- Callers: jobs._tag_pages.
CREATE OR REPLACE FUNCTION jobs._tag_block(
    p_pages uuid[],
    p_tags text[],
    p_keys text[],
    p_actor uuid,
    p_workspace uuid,
    p_deadline timestamptz
)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_count bigint;
BEGIN
    SELECT count(*) INTO v_count
    FROM (
        SELECT
        FROM hub_store.page AS p
        WHERE p.id = ANY (p_pages)
            AND NOT hub._lower_tags(p.tags) && p_keys
            AND cardinality(p.tags) + cardinality(p_tags) <= 200
        FOR NO KEY UPDATE SKIP LOCKED
    ) AS held;
    IF v_count < cardinality(p_pages) THEN
        RETURN false;
    END IF;
    BEGIN
        UPDATE hub_store.page AS p
        SET tags = p.tags || p_tags, etag = gen_random_uuid(), updated_at = clock_timestamp()
        WHERE p.id = ANY (p_pages)
            AND clock_timestamp() < p_deadline
            AND hub._is_administrator(p_actor, p_workspace);
        GET DIAGNOSTICS v_count = ROW_COUNT;
        IF v_count < cardinality(p_pages) THEN
            RAISE EXCEPTION 'some of the pages were not written' USING ERRCODE = 'KH500';
        END IF;
        RETURN true;
    EXCEPTION WHEN OTHERS THEN
        -- A page's fault, and whose, shows one by one.
        IF sqlstate <> 'KH500' AND NOT jobs._is_page_fault(sqlstate) THEN
            RAISE;
        END IF;
        RETURN false;
    END;
END;
$$;

COMMENT ON FUNCTION jobs._tag_block(uuid[], text[], text[], uuid, uuid, timestamptz) IS
    'Tags a block of pages: all of them or none.';
