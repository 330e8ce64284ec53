-- A tag as it is kept: NFC, trimmed, inner white space collapsed to one space; then 1 to 64 code points
-- without control characters (category Cc) and commas. White space and Cc are named by code point, for
-- character classes differ between versions of PostgreSQL and between locales.
-- Either `tag` or `problem` is NULL; the problem says what a tag has to be.
-- Raises: nothing.
-- Locks: none.
-- Callers: hub._normalise_tags, hub._judge_page_query.
CREATE OR REPLACE FUNCTION hub._normalise_tag(p_tag text, OUT tag text, OUT problem text)
LANGUAGE plpgsql
IMMUTABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    tag := btrim(regexp_replace(
        normalize(p_tag, NFC),
        '[\u0009-\u000D\u0020\u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]+', ' ', 'g'));
    problem := CASE
        WHEN tag IS NULL THEN 'a tag is a string'
        WHEN char_length(tag) NOT BETWEEN 1 AND 64 THEN 'a tag has 1 to 64 characters'
        WHEN tag ~ '[\u0001-\u001F\u007F-\u009F]' THEN 'a tag has no control characters'
        WHEN strpos(tag, ',') > 0 THEN 'a tag has no commas'
    END;
    IF problem IS NOT NULL THEN
        tag := NULL;
    END IF;
END;
$$;

COMMENT ON FUNCTION hub._normalise_tag(text) IS 'A tag in its kept form, or what is wrong with it.';
