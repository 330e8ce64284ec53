-- Replaces title, content and tags of a page whose etag is still p_etag (the opaque tag of If-Match), or
-- whatever its etag is when p_etag is `*`. The page always gets a new etag, also when the new values are
-- the old ones.
-- Answers: ok (body as read_page, detail {"etag"}), unauthenticated, not_found (the workspace, or the page
--   in it), not_member, not_editor, invalid, version_mismatch (detail {"etag"}: the present one).
-- Raises: KH500 outside READ COMMITTED; 55P03 when a lock is not had in time.
-- Locks: membership, page.
-- Callers: the API.
CREATE OR REPLACE FUNCTION hub.edit_page(
    p_session bytea,
    p_workspace uuid,
    p_page uuid,
    p_etag text,
    p_body jsonb
)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_page record;
    v_etag text;
BEGIN
    PERFORM hub._require_read_committed();
    SELECT n.title, n.content, n.tags, n.errors INTO v_page FROM hub._normalise_page(p_body) AS n;
    SELECT l.outcome, l.etag INTO outcome, v_etag FROM hub._lock_page(p_session, p_workspace, p_page) AS l;
    IF outcome = 'ok' THEN
        IF v_page.errors IS NOT NULL THEN
            outcome := 'invalid';
            detail := jsonb_build_object('errors', v_page.errors);
        ELSIF p_etag IS DISTINCT FROM '*' AND p_etag IS DISTINCT FROM v_etag THEN
            outcome := 'version_mismatch';
            detail := jsonb_build_object('etag', v_etag);
        END IF;
    END IF;
    IF outcome <> 'ok' THEN
        RETURN NEXT;
        RETURN;
    END IF;
    UPDATE hub_store.page AS p
    SET title = v_page.title,
        content = v_page.content,
        tags = v_page.tags,
        etag = gen_random_uuid(),
        updated_at = clock_timestamp()
    WHERE p.id = p_page;
    RETURN QUERY SELECT r.outcome, r.detail, r.body FROM hub.read_page(p_session, p_workspace, p_page) AS r;
END;
$$;

COMMENT ON FUNCTION hub.edit_page(bytea, uuid, uuid, text, jsonb) IS
    'Replaces a page that is still as the client knew it.';
GRANT EXECUTE ON FUNCTION hub.edit_page(bytea, uuid, uuid, text, jsonb) TO hub_api;
