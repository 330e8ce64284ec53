-- Adds a workspace without members and courses.
-- Answers: ok (detail {"id"}), invalid.
-- Raises: KH500 outside READ COMMITTED.
-- Locks: none.
-- Callers: the operator.
CREATE OR REPLACE FUNCTION hub.add_workspace(p_title text)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM hub._require_read_committed();
    IF btrim(p_title) <> '' AND char_length(p_title) <= 10000 THEN
        INSERT INTO hub_store.workspace (title) VALUES (p_title)
        RETURNING 'ok', jsonb_build_object('id', id) INTO outcome, detail;
    ELSE
        outcome := 'invalid';
        detail := hub._invalid('/title', 'a workspace''s title has 1 to 10,000 characters, not only spaces');
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub.add_workspace(text) IS 'Adds a workspace.';
GRANT EXECUTE ON FUNCTION hub.add_workspace(text) TO hub_operator;
