-- The snapshot of a job: its public state as text, the same bytes for the same version, built from
-- the job's own rows only. It holds no lease, key, worker or error text of the database.
-- Raises: nothing; NULL where there is no such job.
-- Locks: none; one statement, so version and content belong together.
-- Callers: every function that returns a snapshot.
CREATE OR REPLACE FUNCTION jobs._snapshot(p_job uuid)
RETURNS text
LANGUAGE sql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jsonb_build_object(
        'id', j.id,
        'workspace_id', j.workspace_id,
        'kind', j.kind,
        'state', j.state,
        'terminal', j.finished_at IS NOT NULL,
        'version', j.version,
        'actor', jsonb_build_object('id', j.actor_id, 'name', j.actor_name),
        'request', j.request || j.labels,
        'progress', jsonb_build_object(
            'total', j.total,
            'processed', j.processed,
            'changed', j.changed,
            'skipped', j.skipped,
            'failed', j.failed),
        'errors', (
            SELECT coalesce(jsonb_agg(e.body ORDER BY e.page_id), '[]')
            FROM (
                SELECT p.page_id, jobs._page_error(p.page_id, p.page_title, p.code) AS body
                FROM jobs_store.page_error AS p
                WHERE p.job_id = j.id
                ORDER BY p.page_id
                LIMIT 10
            ) AS e),
        'failure', j.failure,
        'result', j.result,
        'attempt', j.attempt,
        'max_attempts', j.max_attempts,
        'cancel_requested_at', hub._utc(j.cancel_requested_at),
        'created_at', hub._utc(j.created_at),
        'started_at', hub._utc(j.started_at),
        'finished_at', hub._utc(j.finished_at)
    )::text
    FROM jobs_store.job AS j
    WHERE j.id = p_job;
$$;

COMMENT ON FUNCTION jobs._snapshot(uuid) IS 'The public state of a job as JSON text.';
