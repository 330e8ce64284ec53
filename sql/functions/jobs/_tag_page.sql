-- Tags one page as it is now, under its row lock, without ever waiting for that lock. p_keys are the
-- lower() forms of p_tags; a spelling already on the page wins.
-- Answers: changed, skipped (has all the tags: nothing is written), locked, page_missing, tags_full,
--   page_rejected (a trigger swallowed the change).
-- Raises: 55P03 when the table is locked; what a trigger on pages raises.
-- Locks: page.
-- Callers: jobs._tag_one_by_one.
CREATE OR REPLACE FUNCTION jobs._tag_page(p_page uuid, p_tags text[], p_keys text[])
RETURNS text
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_had integer;
    v_etag uuid;
    v_missing text[];
BEGIN
    SELECT cardinality(p.tags), p.etag, ARRAY(
        SELECT t.tag
        FROM unnest(p_tags, p_keys) WITH ORDINALITY AS t (tag, key, place)
        WHERE t.key <> ALL (hub._lower_tags(p.tags))
        ORDER BY t.place)
    INTO v_had, v_etag, v_missing
    FROM hub_store.page AS p
    WHERE p.id = p_page
    FOR NO KEY UPDATE OF p SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN CASE WHEN EXISTS (SELECT FROM hub_store.page AS p WHERE p.id = p_page) THEN 'locked'
                    ELSE 'page_missing' END;
    ELSIF v_missing = '{}' THEN
        RETURN 'skipped';
    ELSIF v_had + cardinality(v_missing) > 200 THEN
        RETURN 'tags_full';
    END IF;
    UPDATE hub_store.page AS p
    SET tags = p.tags || v_missing, etag = gen_random_uuid(), updated_at = clock_timestamp()
    WHERE p.id = p_page AND p.etag = v_etag;
    RETURN CASE WHEN FOUND THEN 'changed' ELSE 'page_rejected' END;
END;
$$;

COMMENT ON FUNCTION jobs._tag_page(uuid, text[], text[]) IS 'Tags one page as it is now.';
