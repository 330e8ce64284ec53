BEGIN;
SELECT plan(15);

CREATE FUNCTION pg_temp.set(p_name text, p_value integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_answer text;
BEGIN
    SELECT concat_ws(' ', s.outcome, s.detail, s.body) INTO v_answer FROM jobs.set_setting(p_name, p_value) AS s;
    RETURN concat_ws(' ', v_answer, jobs._setting(regexp_replace(p_name, '.*:', '')));
END;
$$;
SELECT is(pg_temp.set(v.name, v.value), v.expected, v.name || ' = ' || v.value)
FROM (VALUES
    ('MaxAttempts', 5, 'ok 5'),
    ('KnowledgeHub:Jobs:MaxAttempts', 6, 'ok 6'),
    ('MaxAttempts', 1, 'ok 1'),
    ('MaxAttempts', 1000000, 'ok 1000000'),
    ('MaxPendingPerActor', 0, 'ok 0'),
    ('LeaseSeconds', 5, 'ok 5'),
    ('LeaseSeconds', 4, 'invalid {"errors": [{"message": "give a whole number from 5 to 1000000", "pointer": "/value"}]} 5'),
    ('MaxAttempts', 0, 'invalid {"errors": [{"message": "give a whole number from 1 to 1000000", "pointer": "/value"}]} 1000000'),
    ('MaxAttempts', -1, 'invalid {"errors": [{"message": "give a whole number from 1 to 1000000", "pointer": "/value"}]} 1000000'),
    ('MaxPendingPerActor', 1000001, 'invalid {"errors": [{"message": "give a whole number from 0 to 1000000", "pointer": "/value"}]} 0'),
    ('Nothing', 1, 'not_found'),
    ('maxattempts', 1, 'not_found'),
    ('', 1, 'not_found'),
    ('Hub:Jobs:MaxAttempts', 1, 'not_found 1000000'),
    ('KnowledgeHub:Jobs:KnowledgeHub:Jobs:MaxAttempts', 1, 'not_found 1000000')) AS v (name, value, expected);

SELECT * FROM finish();
ROLLBACK;
