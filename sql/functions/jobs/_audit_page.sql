-- One page of audit events: those of a workspace, newest first, or, with p_job, those of that job, oldest
-- first; without both, those of the whole hub, newest first. The cursor is the number
-- of the last event of the page before.
-- Those of a workspace are asked for as a range of pairs, for which only the index by workspace will do:
-- else a plan may read the newest events of all, on and on where this workspace is silent.
-- Answers: ok (body {"events", "next_cursor"}), invalid (the cursor).
-- Raises: nothing.
-- Locks: none.
-- Callers: jobs.list_audit, jobs.list_job_audit, jobs.list_hub_audit.
CREATE OR REPLACE FUNCTION jobs._audit_page(p_workspace uuid, p_job uuid, p_cursor text, p_limit integer)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_after bigint := CASE WHEN p_cursor ~ '^[0-9]{1,18}$' THEN p_cursor::bigint END;
    v_ids bigint[];
BEGIN
    IF p_cursor IS NOT NULL AND v_after IS NULL THEN
        RETURN QUERY SELECT 'invalid', hub._invalid('/cursor', 'take the cursor from the last answer'), NULL;
        RETURN;
    END IF;
    IF p_workspace IS NULL THEN
        v_ids := ARRAY(
            SELECT a.id
            FROM jobs_store.audit_event AS a
            WHERE a.workspace_id IS NULL AND a.id < coalesce(v_after, 9223372036854775807)
            ORDER BY a.id DESC
            LIMIT p_limit + 1);
    ELSIF p_job IS NULL THEN
        v_ids := ARRAY(
            SELECT a.id
            FROM jobs_store.audit_event AS a
            WHERE (a.workspace_id, a.id) < (p_workspace, coalesce(v_after, 9223372036854775807))
                AND (a.workspace_id, a.id) > (p_workspace, 0)
            ORDER BY a.workspace_id DESC, a.id DESC
            LIMIT p_limit + 1);
    ELSE
        v_ids := ARRAY(
            SELECT a.id
            FROM jobs_store.audit_event AS a
            WHERE a.job_id = p_job AND a.id > coalesce(v_after, 0)
            ORDER BY a.id
            LIMIT p_limit + 1);
    END IF;
    RETURN QUERY
    SELECT 'ok', NULL::jsonb, jsonb_build_object(
        'events', coalesce(
            jsonb_agg(jsonb_build_object(
                'id', a.public_id,
                'event', a.event,
                'at', hub._utc(a.at),
                'job_id', a.job_id,
                'actor', CASE WHEN a.actor_id IS NOT NULL
                              THEN jsonb_build_object('id', a.actor_id, 'name', a.actor_name) END,
                'by', a.by,
                'worker', a.worker,
                'address', host(a.address),
                'detail', a.detail) ORDER BY t.place),
            '[]'),
        'next_cursor', CASE WHEN cardinality(v_ids) > p_limit THEN v_ids[p_limit]::text END)::text
    FROM unnest(v_ids[:p_limit]) WITH ORDINALITY AS t (id, place)
    JOIN jobs_store.audit_event AS a ON a.id = t.id;
END;
$$;

COMMENT ON FUNCTION jobs._audit_page(uuid, uuid, text, integer) IS 'One page of audit events.';
