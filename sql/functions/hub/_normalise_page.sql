-- A page as a client sends it, {"title", "content", "tags"} and nothing else, as it is kept: title and
-- content as they are, the tags normalised.
-- Either `errors` is NULL or the other three are; errors: [{"pointer", "message"}].
-- Raises: nothing.
-- Locks: none.
-- Callers: hub._append_pages, hub.edit_page.
CREATE OR REPLACE FUNCTION hub._normalise_page(
    p_page jsonb,
    OUT title text,
    OUT content text,
    OUT tags text[],
    OUT errors jsonb
)
LANGUAGE plpgsql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF p_page IS NULL OR jsonb_typeof(p_page) <> 'object' THEN
        errors := jsonb_build_array(hub._error('', 'send a JSON object with title, content and tags'));
        RETURN;
    END IF;
    SELECT t.tags, hub._unknown_members(p_page, ARRAY['title', 'content', 'tags']) || coalesce(t.errors, '[]')
    INTO tags, errors
    FROM hub._normalise_tags(p_page -> 'tags', 0, 200) AS t;
    title := CASE WHEN jsonb_typeof(p_page -> 'title') = 'string' THEN p_page ->> 'title' END;
    content := CASE WHEN jsonb_typeof(p_page -> 'content') = 'string' THEN p_page ->> 'content' END;
    IF title IS NULL THEN
        errors := errors || hub._error('/title', 'send a string');
    ELSIF char_length(title) > 10000 THEN
        errors := errors || hub._error('/title', 'a title has at most 10,000 characters');
    END IF;
    IF content IS NULL THEN
        errors := errors || hub._error('/content', 'send a string');
    ELSIF octet_length(content) > 2097152 THEN
        errors := errors || hub._error('/content', 'content has at most 2 MiB (2,097,152 bytes in UTF-8)');
    END IF;
    IF errors = '[]' THEN
        errors := NULL;
    ELSE
        title := NULL;
        content := NULL;
        tags := NULL;
    END IF;
END;
$$;

COMMENT ON FUNCTION hub._normalise_page(jsonb) IS 'A page in its kept form, or what is wrong with it.';
