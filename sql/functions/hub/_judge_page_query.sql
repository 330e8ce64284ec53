-- The filters and the place that list_pages is asked for, as its query needs them: the lower() form of
-- the tag, and the positions of course and page in the cursor (-1 where there is none).
-- Errors: [{"pointer", "message"}] at /cursor and /tag; NULL where all is right.
-- Raises: nothing.
-- Locks: none.
-- Callers: hub.list_pages.
CREATE OR REPLACE FUNCTION hub._judge_page_query(
    p_tag text,
    p_cursor text,
    OUT tag_key text,
    OUT course_position bigint,
    OUT page_position bigint,
    OUT errors jsonb
)
LANGUAGE plpgsql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    errors := '[]';
    IF p_cursor !~ '^[0-9]{1,10}[.][0-9]{1,10}$' THEN
        errors := errors || hub._error('/cursor', 'take the cursor from the last answer');
    ELSE
        course_position := coalesce(split_part(p_cursor, '.', 1)::bigint, -1);
        page_position := coalesce(split_part(p_cursor, '.', 2)::bigint, -1);
    END IF;
    IF p_tag IS NOT NULL THEN
        SELECT lower(t.tag),
               CASE WHEN t.problem IS NULL THEN errors ELSE errors || hub._error('/tag', t.problem) END
        INTO tag_key, errors
        FROM hub._normalise_tag(p_tag) AS t;
    END IF;
    errors := nullif(errors, '[]');
END;
$$;

COMMENT ON FUNCTION hub._judge_page_query(text, text) IS
    'What list_pages is asked for, or what is wrong with it.';
