-- The failure of a job as the snapshot shows it; the words of each code live here.
-- Raises: nothing; NULL for a code that is not known.
-- Locks: none.
-- Callers: jobs._end_job, jobs.finish.
-- Plain SQL, inlined into its callers' queries, so it pins no search_path; every name in it is full.
CREATE OR REPLACE FUNCTION jobs._failure(p_code text)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
    SELECT pg_catalog.jsonb_build_object('code', w.code, 'message', w.message)
    FROM (VALUES
        ('actor_not_authorised', 'Whoever started this job may no longer run it. What was done stays.'),
        ('attempts_exhausted', 'The job was interrupted too often and was given up. What was done stays.'),
        ('worker_error', 'The worker met an error it did not expect. Ask who runs the system.'),
        ('storage_full', 'There was no room left to store the archive. Free some space and start again.'),
        ('storage_error', 'The archive could not be stored. Ask who runs the system.')
    ) AS w (code, message)
    WHERE w.code OPERATOR(pg_catalog.=) p_code;
$$;

COMMENT ON FUNCTION jobs._failure(text) IS 'A failure code with its words.';
