-- The audit events of the whole hub, which belong to no workspace: the operator's decisions about users and
-- settings, newest first. The cursor is the number of the last one.
-- Answers: ok (body {"events", "next_cursor"}), invalid.
-- Raises: nothing.
-- Locks: none.
-- Callers: the operator.
CREATE OR REPLACE FUNCTION jobs.list_hub_audit(p_cursor text, p_limit integer)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE sql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT t.outcome, t.detail, t.body FROM jobs._audit_page(NULL, NULL, p_cursor, p_limit) AS t;
$$;

COMMENT ON FUNCTION jobs.list_hub_audit(text, integer) IS 'The audit events that belong to no workspace.';
GRANT EXECUTE ON FUNCTION jobs.list_hub_audit(text, integer) TO hub_operator;
