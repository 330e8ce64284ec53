-- A backup in an answer, from the snapshot of its job; p_deleted_at is when its archive was deleted.
-- Raises: nothing.
-- Locks: none.
-- Callers: jobs.list_backups.
-- Plain SQL, inlined into its callers' queries, so it pins no search_path; every name in it is full.
CREATE OR REPLACE FUNCTION jobs._describe_backup(p_job jsonb, p_deleted_at timestamptz)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
    SELECT pg_catalog.jsonb_build_object(
        'job_id', p_job OPERATOR(pg_catalog.->) 'id',
        'actor', p_job OPERATOR(pg_catalog.->) 'actor',
        'created_at', p_job OPERATOR(pg_catalog.->) 'created_at',
        'finished_at', p_job OPERATOR(pg_catalog.->) 'finished_at',
        'archive', p_job OPERATOR(pg_catalog.#>) '{result,archive}',
        'bytes', p_job OPERATOR(pg_catalog.#>) '{result,bytes}',
        'pages', p_job OPERATOR(pg_catalog.#>) '{result,pages}',
        'sha256', p_job OPERATOR(pg_catalog.#>) '{result,sha256}',
        'deleted_at', hub._utc(p_deleted_at));
$$;

COMMENT ON FUNCTION jobs._describe_backup(jsonb, timestamptz) IS 'A backup in an answer.';
