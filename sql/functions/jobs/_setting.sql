-- The value of a setting of the section KnowledgeHub:Jobs.
-- Raises: nothing; NULL for a name that is not in the table.
-- Locks: none.
-- Callers: functions of schema jobs.
CREATE OR REPLACE FUNCTION jobs._setting(p_name text)
RETURNS integer
LANGUAGE sql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT s.value FROM jobs_store.setting AS s WHERE s.name = p_name;
$$;

COMMENT ON FUNCTION jobs._setting(text) IS 'The value of a setting.';
