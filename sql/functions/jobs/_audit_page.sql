-- One page of a list of audit events, in the order of p_events; one more event than p_limit says that
-- there are more.
-- Answers: {"events", "next_cursor"} as text.
-- Raises: nothing.
-- Locks: none.
-- Callers: jobs.list_audit, jobs.list_job_audit.
CREATE OR REPLACE FUNCTION jobs._audit_page(p_events bigint[], p_limit integer)
RETURNS text
LANGUAGE sql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jsonb_build_object(
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
        'next_cursor', CASE WHEN cardinality(p_events) > p_limit THEN p_events[p_limit]::text END)::text
    FROM unnest(p_events[:p_limit]) WITH ORDINALITY AS t (id, place)
    JOIN jobs_store.audit_event AS a ON a.id = t.id;
$$;

COMMENT ON FUNCTION jobs._audit_page(bigint[], integer) IS 'One page of a list of audit events.';
