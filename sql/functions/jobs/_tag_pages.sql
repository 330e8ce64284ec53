-- Tags the first of these pages, block by block, until the time is over or there is something to decide
-- about a page of the next block. A block is small enough that at the pace so far it ends in time; the clock
-- that tells the pace may have been set back.
-- p_keys are the lower() forms of p_tags.
-- Answers: how many are tagged.
-- Raises: 55P03 when the table is locked.
-- Locks: page (never waits for one).
-- Callers: jobs._advance_course_tagging.
CREATE OR REPLACE FUNCTION jobs._tag_pages(
    p_pages uuid[],
    p_tags text[],
    p_keys text[],
    p_actor uuid,
    p_workspace uuid,
    p_deadline timestamptz
)
RETURNS integer
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_begun timestamptz := clock_timestamp();
    v_block uuid[] := p_pages[:10];
    v_tagged integer := 0;
BEGIN
    WHILE v_block <> '{}' AND clock_timestamp() < p_deadline LOOP
        EXIT WHEN NOT jobs._tag_block(v_block, p_tags, p_keys, p_actor, p_workspace, p_deadline);
        v_tagged := v_tagged + cardinality(v_block);
        v_block := p_pages[v_tagged + 1:v_tagged + least(100, 1 + floor(
            extract(epoch FROM p_deadline - clock_timestamp())
            / greatest(extract(epoch FROM clock_timestamp() - v_begun), 0.000001) * v_tagged))];
    END LOOP;
    RETURN v_tagged;
END;
$$;

COMMENT ON FUNCTION jobs._tag_pages(uuid[], text[], text[], uuid, uuid, timestamptz) IS
    'Tags the first of these pages, as long as nothing is to be decided about one.';
