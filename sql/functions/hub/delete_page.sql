-- Deletes a page whose etag is still p_etag (the opaque tag of If-Match), or whatever its etag is when
-- p_etag is `*`.
-- Answers: ok, unauthenticated, not_found (the workspace, or the page in it), not_member, not_editor,
--   version_mismatch (detail {"etag"}: the present one).
-- Raises: KH500 outside READ COMMITTED; 55P03 when a lock is not had in time.
-- Locks: membership, page.
-- Callers: the API.
CREATE OR REPLACE FUNCTION hub.delete_page(p_session bytea, p_workspace uuid, p_page uuid, p_etag text)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_etag text;
BEGIN
    PERFORM hub._require_read_committed();
    SELECT l.outcome, l.etag INTO outcome, v_etag FROM hub._lock_page(p_session, p_workspace, p_page) AS l;
    IF outcome = 'ok' THEN
        IF p_etag IS DISTINCT FROM '*' AND p_etag IS DISTINCT FROM v_etag THEN
            outcome := 'version_mismatch';
            detail := jsonb_build_object('etag', v_etag);
        ELSE
            DELETE FROM hub_store.page AS p WHERE p.id = p_page;
        END IF;
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub.delete_page(bytea, uuid, uuid, text) IS
    'Deletes a page that is still as the client knew it.';
GRANT EXECUTE ON FUNCTION hub.delete_page(bytea, uuid, uuid, text) TO hub_api;
