-- May this session use this right in this workspace? Rights: `read` (an enabled member), `edit` (an
-- enabled editor or administrator), `administer` (an enabled administrator). A workspace the user does
-- not belong to and one that does not exist get the same answer.
-- Answers: ok, unauthenticated, not_found, not_member, not_editor, not_administrator. The user's id and
--   name are given whenever the session is live, so look at the outcome first.
-- VOLATILE: it must see what was committed before its own statement, not before the caller's.
-- Raises: 20000 (case_not_found) for an unknown right.
-- Locks: none.
-- Callers: hub._lock_access and the functions that read in a workspace for a session.
CREATE OR REPLACE FUNCTION hub._access(
    p_session bytea,
    p_workspace uuid,
    p_right text,
    OUT outcome text,
    OUT user_id uuid,
    OUT user_name text
)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_role text;
    v_enabled boolean;
BEGIN
    user_id := hub._live_session(p_session);
    SELECT u.name, m.role, m.enabled INTO user_name, v_role, v_enabled
    FROM hub_store.app_user AS u
    LEFT JOIN hub_store.membership AS m ON m.user_id = u.id AND m.workspace_id = p_workspace
    WHERE u.id = _access.user_id;
    outcome := CASE
        WHEN user_id IS NULL THEN 'unauthenticated'
        WHEN v_role IS NULL THEN 'not_found'
    END;
    IF outcome IS NOT NULL THEN
        RETURN;
    END IF;
    CASE p_right
        WHEN 'read' THEN
            outcome := CASE WHEN v_enabled THEN 'ok' ELSE 'not_member' END;
        WHEN 'edit' THEN
            outcome := CASE WHEN NOT v_enabled THEN 'not_member'
                            WHEN v_role IN ('administrator', 'editor') THEN 'ok'
                            ELSE 'not_editor' END;
        WHEN 'administer' THEN
            outcome := CASE WHEN v_enabled AND v_role = 'administrator' THEN 'ok'
                            ELSE 'not_administrator' END;
    END CASE;
END;
$$;

COMMENT ON FUNCTION hub._access(bytea, uuid, text) IS
    'Whether a session may read, edit or administer a workspace, and whose session it is.';
