-- The pages of a workspace, or of one course, by course and position: {"pages": [{"id", "course_id",
-- "title", "tags", "etag", "updated_at"}], "next_cursor"}. A filter that is NULL is none: p_tag, a tag the
-- page has; p_q, a part of its title in any case. The cursor says after which page to go on; it stays good
-- when pages come or go.
-- Answers: ok, unauthenticated, not_found (the workspace, or the course in it), not_member, invalid.
-- Raises: nothing.
-- Locks: none.
-- Callers: the API.
CREATE OR REPLACE FUNCTION hub.list_pages(
    p_session bytea,
    p_workspace uuid,
    p_course uuid,
    p_tag text,
    p_q text,
    p_cursor text,
    p_limit integer
)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_query record;
BEGIN
    SELECT a.outcome INTO outcome FROM hub._access(p_session, p_workspace, 'read') AS a;
    IF outcome = 'ok' AND p_course IS NOT NULL AND NOT EXISTS (
        SELECT FROM hub_store.course AS c WHERE c.id = p_course AND c.workspace_id = p_workspace)
    THEN
        outcome := 'not_found';
    END IF;
    IF outcome = 'ok' THEN
        SELECT j.tag_key, j.course_position, j.page_position, j.errors INTO v_query
        FROM hub._judge_page_query(p_tag, p_cursor) AS j;
        IF v_query.errors IS NOT NULL THEN
            outcome := 'invalid';
            detail := jsonb_build_object('errors', v_query.errors);
        END IF;
    END IF;
    IF outcome <> 'ok' THEN
        RETURN NEXT;
        RETURN;
    END IF;
    -- Taken course by course, each from its own place on: one ordered walk of an index, which ends
    -- after p_limit + 1 pages.
    SELECT jsonb_build_object(
        'pages', coalesce(
            jsonb_agg(f.page ORDER BY f.place) FILTER (WHERE f.place <= p_limit), '[]'),
        'next_cursor', CASE WHEN count(*) > p_limit
            THEN max(f.cursor) FILTER (WHERE f.place = p_limit) END)::text
    INTO body
    FROM (
        SELECT hub._describe_page(p.id, p.course_id, p.title, p.tags, p.etag, hub._utc(p.updated_at)) AS page,
               c.position || '.' || p.position AS cursor,
               row_number() OVER (ORDER BY c.position, p.position) AS place
        FROM hub_store.course AS c
        CROSS JOIN LATERAL (
            SELECT g.id, g.course_id, g.position, g.title, g.tags, g.etag, g.updated_at
            FROM hub_store.page AS g
            WHERE g.course_id = c.id
                AND g.position > CASE c.position
                    WHEN v_query.course_position THEN v_query.page_position ELSE -1 END
                AND (p_q IS NULL OR strpos(lower(g.title), lower(p_q)) > 0)
                AND (p_tag IS NULL OR v_query.tag_key = ANY (hub._lower_tags(g.tags)))
            ORDER BY g.position
            LIMIT p_limit + 1) AS p
        WHERE c.workspace_id = p_workspace
            AND c.position >= v_query.course_position
            AND (p_course IS NULL OR c.id = p_course)
        ORDER BY c.position, p.position
        LIMIT p_limit + 1) AS f;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub.list_pages(bytea, uuid, uuid, text, text, text, integer) IS
    'The pages of a workspace, filtered, a part at a time.';
GRANT EXECUTE ON FUNCTION hub.list_pages(bytea, uuid, uuid, text, text, text, integer) TO hub_api;
