-- Appends a decision of the operator that is about no job to the audit trail: of a workspace, or, where
-- p_workspace is NULL, of the whole hub.
-- Raises: nothing.
-- Locks: audit (insert only).
-- Callers: jobs.set_setting, hub.set_membership, hub._record_user_decision.
CREATE OR REPLACE FUNCTION jobs._record_decision(p_event text, p_workspace uuid, p_detail jsonb)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO jobs_store.audit_event (at, event, workspace_id, by, detail)
    VALUES (clock_timestamp(), p_event, p_workspace, 'operator', p_detail);
END;
$$;

COMMENT ON FUNCTION jobs._record_decision(text, uuid, jsonb) IS
    'Appends a decision of the operator to the audit trail.';
