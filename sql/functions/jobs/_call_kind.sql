-- Calls what a kind does at one of its steps (normalise, describe, plan, advance) by the function name
-- in the table of kinds: the only dynamic SQL there is. Every such function takes one jsonb and
-- returns one. NULL where the kind has nothing to do at that step, or there is no such kind.
-- Raises: what the kind's function raises.
-- Locks: what the kind's function locks.
-- Callers: jobs._normalise, jobs.create_job, jobs.advance.
CREATE OR REPLACE FUNCTION jobs._call_kind(p_kind text, p_step text, p_argument jsonb)
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_function text;
    v_answer jsonb;
BEGIN
    SELECT CASE p_step
               WHEN 'normalise' THEN k.normalise_function
               WHEN 'describe' THEN k.describe_function
               WHEN 'plan' THEN k.plan_function
               WHEN 'advance' THEN k.advance_function
           END
    INTO v_function
    FROM jobs_store.kind AS k
    WHERE k.name = p_kind;
    IF v_function IS NULL THEN
        RETURN NULL;
    END IF;
    EXECUTE format('SELECT %I.%I($1)', 'jobs', v_function) INTO v_answer USING p_argument;
    RETURN v_answer;
END;
$$;

COMMENT ON FUNCTION jobs._call_kind(text, text, jsonb) IS 'Calls a step of a kind by its name in the table of kinds.';
