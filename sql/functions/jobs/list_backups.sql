-- The backups of the workspace that succeeded, newest first, for its enabled administrators. The cursor is
-- the job id of the last one of the page before.
-- Answers: ok (body {"backups": [{"job_id", "actor", "created_at", "finished_at", "archive", "bytes", "pages",
--   "sha256", "deleted_at"}], "next_cursor"}; deleted_at: when the archive was deleted); unauthenticated,
--   not_found, not_administrator, invalid (the cursor).
-- Raises: nothing.
-- Locks: none.
-- Callers: the API.
CREATE OR REPLACE FUNCTION jobs.list_backups(
    p_session bytea,
    p_workspace uuid,
    p_cursor text,
    p_limit integer
)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_jobs record;
BEGIN
    SELECT a.outcome INTO outcome FROM hub._access(p_session, p_workspace, 'administer') AS a;
    IF outcome = 'ok' THEN
        SELECT l.outcome, l.detail, l.body::jsonb AS body INTO v_jobs
        FROM jobs._list_jobs(p_workspace, 'succeeded', 'backup', p_cursor, p_limit) AS l;
        outcome := v_jobs.outcome;
        detail := v_jobs.detail;
    END IF;
    IF outcome = 'ok' THEN
        SELECT jsonb_build_object(
            'backups', coalesce(
                jsonb_agg(jobs._describe_backup(t.job, d.deleted_at) ORDER BY t.place), '[]'),
            'next_cursor', v_jobs.body -> 'next_cursor')::text
        INTO body
        FROM jsonb_array_elements(v_jobs.body -> 'jobs') WITH ORDINALITY AS t (job, place)
        LEFT JOIN jobs_store.archive_deletion AS d ON d.job_id = (t.job ->> 'id')::uuid;
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.list_backups(bytea, uuid, text, integer) IS 'The backups of a workspace, newest first.';
GRANT EXECUTE ON FUNCTION jobs.list_backups(bytea, uuid, text, integer) TO hub_api;
