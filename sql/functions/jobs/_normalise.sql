-- Judges the shape of a request by its body alone, and normalises it.
-- Answers: {"kind", "request", "identity"}; two requests are the same iff kind and identity are.
--   Or {"errors": [{"pointer", "message"}]}.
-- Raises: nothing.
-- Locks: none.
-- Callers: jobs.create_job, jobs._replay.
CREATE OR REPLACE FUNCTION jobs._normalise(p_body jsonb)
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_kind text;
    v_answer jsonb;
BEGIN
    IF p_body IS NULL OR jsonb_typeof(p_body) <> 'object' THEN
        RETURN hub._invalid('', 'send a JSON object');
    ELSIF NOT p_body ? 'kind' THEN
        RETURN hub._invalid('/kind', 'say which kind of job to start');
    ELSIF jsonb_typeof(p_body -> 'kind') <> 'string' THEN
        RETURN hub._invalid('/kind', 'send a string');
    END IF;
    SELECT k.name INTO v_kind FROM jobs_store.kind AS k WHERE k.name = p_body ->> 'kind';
    IF v_kind IS NULL THEN
        RETURN hub._invalid('/kind', 'there is no such kind of job');
    END IF;
    v_answer := jobs._call_kind(v_kind, 'normalise', p_body);
    IF v_answer IS NULL THEN
        v_answer := jsonb_build_object('errors', hub._unknown_members(p_body, ARRAY['kind']));
        IF v_answer -> 'errors' = '[]' THEN
            v_answer := '{"request": {}, "identity": {}}';
        END IF;
    END IF;
    RETURN v_answer || jsonb_build_object('kind', v_kind);
END;
$$;

COMMENT ON FUNCTION jobs._normalise(jsonb) IS 'Judges and normalises the body of a request for a job.';
