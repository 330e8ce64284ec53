-- Writes where a running job stands and renews its lease, in one row version. The version rises when
-- something visible changed; listeners are told of it at most five times a second.
-- Raises: nothing of its own.
-- Locks: job (held by the caller).
-- Callers: jobs.advance, jobs.save_progress.
CREATE OR REPLACE FUNCTION jobs._save_progress(
    p_job uuid,
    p_total integer,
    p_processed integer,
    p_changed integer,
    p_skipped integer,
    p_failed integer
)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_now timestamptz := clock_timestamp();
    v_notified_at timestamptz;
BEGIN
    UPDATE jobs_store.job AS j
    SET total = p_total,
        processed = p_processed,
        changed = p_changed,
        skipped = p_skipped,
        failed = p_failed,
        version = j.version + ((j.total, j.processed) <> (p_total, p_processed))::integer,
        notified_at = CASE
            WHEN (j.total, j.processed) <> (p_total, p_processed)
                AND j.notified_at <= v_now - interval '200 milliseconds' THEN v_now
            ELSE j.notified_at END,
        lease_until = v_now + make_interval(secs => j.lease_seconds)
    WHERE j.id = p_job
    RETURNING j.notified_at INTO v_notified_at;
    IF v_notified_at = v_now THEN
        PERFORM jobs._notify(p_job);
    END IF;
END;
$$;

COMMENT ON FUNCTION jobs._save_progress(uuid, integer, integer, integer, integer, integer) IS
    'Writes the progress of a running job and renews its lease.';
