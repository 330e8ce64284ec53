-- The present snapshots of the jobs that streams watch, and, read in the same statement, which of the
-- sessions may read each: p_sessions and p_jobs are parallel lists of (session, job) pairs.
-- Answers: one row for each existing job of p_jobs; readers: the sessions of its pairs that are live and
--   belong to an enabled administrator of the job's workspace.
-- Raises: nothing.
-- Locks: none.
-- Callers: the API (the feed).
CREATE OR REPLACE FUNCTION jobs.read_snapshots(p_sessions bytea[], p_jobs uuid[])
RETURNS TABLE (job_id uuid, version bigint, terminal boolean, snapshot text, readers bytea[])
LANGUAGE sql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    -- Found by their ids before anything else is known of them: a plan that knows a reader's workspace may
    -- step over all jobs of that workspace.
    WITH watched AS MATERIALIZED (
        SELECT j.id, j.workspace_id, j.version, j.finished_at FROM jobs_store.job AS j WHERE j.id = ANY (p_jobs)
    ), pair AS (
        SELECT DISTINCT t.session, t.job_id FROM unnest(p_sessions, p_jobs) AS t (session, job_id)
    ), reader AS (
        SELECT p.job_id, array_agg(p.session) AS sessions
        FROM pair AS p
        JOIN watched AS w ON w.id = p.job_id
        JOIN hub_store.session AS s ON s.token_hash = p.session
        JOIN hub_store.app_user AS u ON u.id = s.user_id
        JOIN hub_store.membership AS m ON m.user_id = u.id AND m.workspace_id = w.workspace_id
        WHERE hub._is_session_live(s.created_at, s.last_seen_at)
            AND u.enabled AND m.enabled AND m.role = 'administrator'
        GROUP BY p.job_id
    )
    SELECT w.id, w.version, w.finished_at IS NOT NULL, jobs._snapshot(w.id), coalesce(r.sessions, '{}')
    FROM watched AS w
    LEFT JOIN reader AS r ON r.job_id = w.id;
$$;

COMMENT ON FUNCTION jobs.read_snapshots(bytea[], uuid[]) IS
    'The snapshots of jobs and which of the sessions may read each.';
GRANT EXECUTE ON FUNCTION jobs.read_snapshots(bytea[], uuid[]) TO hub_api;
