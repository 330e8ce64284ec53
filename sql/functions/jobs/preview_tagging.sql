-- What a tagging of this course with these tags {"tags"} would change now, for enabled administrators.
-- Answers: ok (body {"total", "would_change", "have_all"}; a page without room for the tags is in none but
--   the first); unauthenticated, not_found, not_administrator, invalid.
-- Raises: nothing.
-- Locks: none.
-- Callers: the API.
CREATE OR REPLACE FUNCTION jobs.preview_tagging(
    p_session bytea,
    p_workspace uuid,
    p_course uuid,
    p_body jsonb
)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_tags text[];
    v_errors jsonb;
BEGIN
    SELECT a.outcome INTO outcome FROM hub._access(p_session, p_workspace, 'administer') AS a;
    IF outcome = 'ok' AND NOT EXISTS (
        SELECT FROM hub_store.course AS c WHERE c.id = p_course AND c.workspace_id = p_workspace)
    THEN
        outcome := 'not_found';
    END IF;
    IF outcome = 'ok' AND coalesce(jsonb_typeof(p_body), '') <> 'object' THEN
        outcome := 'invalid';
        detail := hub._invalid('', 'send a JSON object');
    END IF;
    IF outcome = 'ok' THEN
        SELECT t.tags, hub._unknown_members(p_body, ARRAY['tags']) || coalesce(t.errors, '[]')
        INTO v_tags, v_errors
        FROM hub._normalise_tags(p_body -> 'tags', 1, 20) AS t;
        IF v_errors <> '[]' THEN
            outcome := 'invalid';
            detail := jsonb_build_object('errors', v_errors);
        END IF;
    END IF;
    IF outcome = 'ok' THEN
        SELECT jsonb_build_object(
            'total', count(*),
            'would_change', count(*) FILTER (WHERE NOT t.has_all AND t.has_room),
            'have_all', count(*) FILTER (WHERE t.has_all))::text
        INTO body
        FROM (
            SELECT hub._lower_tags(p.tags) @> hub._lower_tags(v_tags) AS has_all,
                   cardinality(p.tags) + cardinality(v_tags) <= 200 OR 200 >= (
                       SELECT count(DISTINCT k.key)
                       FROM unnest(hub._lower_tags(p.tags || v_tags)) AS k (key)) AS has_room
            FROM hub_store.page AS p
            WHERE p.course_id = p_course
        ) AS t;
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.preview_tagging(bytea, uuid, uuid, jsonb) IS
    'What a tagging of a course would change now.';
GRANT EXECUTE ON FUNCTION jobs.preview_tagging(bytea, uuid, uuid, jsonb) TO hub_api;
