-- Sets a setting, by its short name or with the section in front (KnowledgeHub:Jobs:MaxAttempts).
-- Answers: ok, not_found, invalid (no number, or out of range).
-- Raises: KH500 outside READ COMMITTED.
-- Locks: the setting, audit.
-- Callers: the operator.
CREATE OR REPLACE FUNCTION jobs.set_setting(p_name text, p_value integer)
RETURNS TABLE (outcome text, detail jsonb, body text)
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_setting record;
    v_before integer;
BEGIN
    PERFORM hub._require_read_committed();
    SELECT s.name, s.minimum, s.maximum INTO v_setting
    FROM jobs_store.setting AS s
    WHERE s.name = regexp_replace(p_name, '^KnowledgeHub:Jobs:', '');
    IF NOT FOUND THEN
        outcome := 'not_found';
    ELSIF p_value IS NULL OR p_value NOT BETWEEN v_setting.minimum AND v_setting.maximum THEN
        outcome := 'invalid';
        detail := hub._invalid(
            '/value', format('give a whole number from %s to %s', v_setting.minimum, v_setting.maximum));
    ELSE
        PERFORM FROM jobs_store.setting AS s WHERE s.name = v_setting.name FOR NO KEY UPDATE;
        SELECT s.value INTO v_before FROM jobs_store.setting AS s WHERE s.name = v_setting.name;
        IF v_before <> p_value THEN
            UPDATE jobs_store.setting AS s SET value = p_value WHERE s.name = v_setting.name;
            PERFORM jobs._record_decision(
                'setting.changed', NULL,
                jsonb_build_object('name', v_setting.name, 'value', p_value, 'before', v_before));
        END IF;
        outcome := 'ok';
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION jobs.set_setting(text, integer) IS 'Sets a setting of the section KnowledgeHub:Jobs.';
GRANT EXECUTE ON FUNCTION jobs.set_setting(text, integer) TO hub_operator;
