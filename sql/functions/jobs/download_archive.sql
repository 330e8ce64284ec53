-- Which archive a backup of the workspace made, for an enabled administrator who downloads it now; the event
-- backup.downloaded is recorded. A download in sections is one event: the same person, from the same
-- address, is recorded once in 60 seconds.
-- Answers: ok (detail {"archive", "bytes", "sha256", "finished_at"}); unauthenticated, not_found (also a backup
--   that did not succeed), not_administrator, archive_gone (it was deleted).
-- Raises: KH500 outside READ COMMITTED; 55P03 when a lock is not had in time.
-- Locks: membership, job, audit.
-- Callers: the API.
CREATE OR REPLACE FUNCTION jobs.download_archive(
    p_session bytea,
    p_workspace uuid,
    p_job uuid,
    p_address inet
)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_actor uuid;
    v_archive record;
BEGIN
    PERFORM hub._require_read_committed();
    SELECT a.outcome, a.user_id INTO outcome, v_actor
    FROM hub._lock_access(p_session, p_workspace, 'administer') AS a;
    IF outcome = 'ok' THEN
        SELECT l.outcome, l.result, l.finished_at INTO v_archive FROM jobs._lock_archive(p_workspace, p_job) AS l;
        outcome := v_archive.outcome;
    END IF;
    IF outcome = 'ok' THEN
        detail := jsonb_build_object(
            'archive', v_archive.result -> 'archive',
            'bytes', v_archive.result -> 'bytes',
            'sha256', v_archive.result -> 'sha256',
            'finished_at', hub._utc(v_archive.finished_at));
        -- The latest events only, for there may be very many.
        IF NOT EXISTS (
            SELECT
            FROM (
                SELECT a.event, a.actor_id, a.address, a.at
                FROM jobs_store.audit_event AS a
                WHERE a.job_id = p_job
                ORDER BY a.job_id DESC, a.id DESC
                LIMIT 100
            ) AS t
            WHERE t.event = 'backup.downloaded'
                AND t.actor_id = v_actor
                AND t.address IS NOT DISTINCT FROM p_address
                AND t.at > clock_timestamp() - interval '60 seconds')
        THEN
            PERFORM jobs._record_event(p_job, 'backup.downloaded', v_actor, NULL, p_address);
        END IF;
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.download_archive(bytea, uuid, uuid, inet) IS
    'Which archive a backup made, for somebody who downloads it.';
GRANT EXECUTE ON FUNCTION jobs.download_archive(bytea, uuid, uuid, inet) TO hub_api;
