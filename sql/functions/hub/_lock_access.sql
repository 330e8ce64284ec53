-- As hub._access, for functions that write: locks the membership first, so that from the answer to the
-- end of the transaction nobody can take the right away (set_membership, set_user_enabled).
-- Raises: 20000 (case_not_found) for an unknown right; 55P03 when the lock is not had in time.
-- Locks: membership.
-- Callers: functions that write in a workspace for a session, after hub._require_read_committed.
CREATE OR REPLACE FUNCTION hub._lock_access(
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
    v_locked boolean;
BEGIN
    PERFORM
    FROM hub_store.membership AS m
    WHERE m.workspace_id = p_workspace
        AND m.user_id = (SELECT s.user_id FROM hub_store.session AS s WHERE s.token_hash = p_session)
    FOR NO KEY UPDATE;
    v_locked := FOUND;
    SELECT a.outcome, a.user_id, a.user_name INTO outcome, user_id, user_name
    FROM hub._access(p_session, p_workspace, p_right) AS a;
    -- A membership that began in between is not locked, so it does not count yet.
    IF outcome = 'ok' AND NOT v_locked THEN
        outcome := 'not_found';
    END IF;
END;
$$;

COMMENT ON FUNCTION hub._lock_access(bytea, uuid, text) IS
    'As hub._access, with the membership locked until the transaction ends.';
