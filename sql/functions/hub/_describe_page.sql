-- A page in an answer, without its content. The time is text already (hub._utc).
-- Raises: nothing.
-- Locks: none.
-- Callers: hub.list_pages, hub.read_page.
-- Plain SQL, inlined into its callers' queries, so it pins no search_path; every name in it is full.
CREATE OR REPLACE FUNCTION hub._describe_page(
    p_id uuid,
    p_course uuid,
    p_title text,
    p_tags text[],
    p_etag uuid,
    p_updated_at text
)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
    SELECT pg_catalog.jsonb_build_object(
        'id', p_id,
        'course_id', p_course,
        'title', p_title,
        'tags', p_tags,
        'etag', p_etag,
        'updated_at', p_updated_at);
$$;

COMMENT ON FUNCTION hub._describe_page(uuid, uuid, text, text[], uuid, text) IS
    'A page in an answer, without its content.';
