-- Refuses a change that must never happen, by anyone, the owner too: the audit trail is append-only,
-- a terminal job is final, and jobs are kept. Only a bug can meet it.
-- Raises: KH500.
-- Locks: none.
-- Callers: the triggers below.
CREATE OR REPLACE FUNCTION jobs._refuse_change()
RETURNS trigger
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION '% of %.% is refused by %', tg_op, tg_table_schema, tg_table_name, tg_name
        USING ERRCODE = 'KH500';
END;
$$;

COMMENT ON FUNCTION jobs._refuse_change() IS 'Refuses a change that must never happen.';

-- Made in the order in which calls lock these tables, so that a migrate beside them cannot deadlock.
CREATE OR REPLACE TRIGGER job_is_kept
    BEFORE DELETE OR TRUNCATE ON jobs_store.job
    FOR EACH STATEMENT EXECUTE FUNCTION jobs._refuse_change();
ALTER TABLE jobs_store.job ENABLE ALWAYS TRIGGER job_is_kept;

CREATE OR REPLACE TRIGGER job_terminal_is_final
    BEFORE UPDATE ON jobs_store.job
    FOR EACH ROW WHEN (old.finished_at IS NOT NULL) EXECUTE FUNCTION jobs._refuse_change();
ALTER TABLE jobs_store.job ENABLE ALWAYS TRIGGER job_terminal_is_final;

CREATE OR REPLACE TRIGGER audit_event_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON jobs_store.audit_event
    FOR EACH STATEMENT EXECUTE FUNCTION jobs._refuse_change();
ALTER TABLE jobs_store.audit_event ENABLE ALWAYS TRIGGER audit_event_is_append_only;
