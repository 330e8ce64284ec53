-- Makes a user a member of a workspace, or changes what he may do there. It holds the lock of the
-- membership, so it waits for whoever is using the right, and nobody uses the old one after it commits.
-- Answers: ok (detail {"id"}: the user's), not_found (detail {"missing": "user" or "workspace"}), invalid.
-- Raises: KH500 outside READ COMMITTED; 55P03 when a lock is not had in time.
-- Locks: user (so that no membership is added while the user is being disabled), membership, audit.
-- Callers: the operator.
CREATE OR REPLACE FUNCTION hub.set_membership(
    p_workspace uuid,
    p_email text,
    p_role text,
    p_enabled boolean
)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_user uuid;
    v_before jsonb;
    v_after jsonb := jsonb_build_object('role', p_role, 'enabled', p_enabled);
BEGIN
    PERFORM hub._require_read_committed();
    v_user := hub._lock_user(p_email);
    IF p_role IS NULL OR p_role NOT IN ('administrator', 'editor', 'reader') THEN
        outcome := 'invalid';
        detail := hub._invalid('/role', 'the role is administrator, editor or reader');
    ELSIF v_user IS NULL THEN
        outcome := 'not_found';
        detail := jsonb_build_object('missing', 'user');
    ELSIF NOT EXISTS (SELECT FROM hub_store.workspace AS w WHERE w.id = p_workspace) THEN
        outcome := 'not_found';
        detail := jsonb_build_object('missing', 'workspace');
    ELSE
        SELECT jsonb_build_object('role', m.role, 'enabled', m.enabled) INTO v_before
        FROM hub_store.membership AS m
        WHERE m.workspace_id = p_workspace AND m.user_id = v_user;
        INSERT INTO hub_store.membership (workspace_id, user_id, role, enabled)
        VALUES (p_workspace, v_user, p_role, p_enabled)
        ON CONFLICT ON CONSTRAINT membership_is_unique
            DO UPDATE SET role = excluded.role, enabled = excluded.enabled;
        IF v_after IS DISTINCT FROM v_before THEN
            PERFORM jobs._record_decision(
                'member.changed', p_workspace,
                v_after || jsonb_build_object('before', v_before, 'user', (
                    SELECT jsonb_build_object('id', u.id, 'name', u.name)
                    FROM hub_store.app_user AS u WHERE u.id = v_user)));
        END IF;
        outcome := 'ok';
        detail := jsonb_build_object('id', v_user);
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION hub.set_membership(uuid, text, text, boolean) IS
    'Makes a user a member of a workspace, or changes what he may do there.';
GRANT EXECUTE ON FUNCTION hub.set_membership(uuid, text, text, boolean) TO hub_operator;
