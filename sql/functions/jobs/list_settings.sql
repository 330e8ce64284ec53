-- The settings of the section KnowledgeHub:Jobs.
-- Answers: ok (body {"settings"}).
-- Raises: nothing.
-- Locks: none.
-- Callers: the operator.
CREATE OR REPLACE FUNCTION jobs.list_settings()
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE sql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT 'ok', NULL::jsonb, jsonb_build_object('settings', jsonb_agg(jsonb_build_object(
        'name', s.name, 'value', s.value, 'minimum', s.minimum, 'maximum', s.maximum,
        'description', s.description) ORDER BY s.name))::text
    FROM jobs_store.setting AS s;
$$;

COMMENT ON FUNCTION jobs.list_settings() IS 'The settings of the section KnowledgeHub:Jobs.';
GRANT EXECUTE ON FUNCTION jobs.list_settings() TO hub_operator;
