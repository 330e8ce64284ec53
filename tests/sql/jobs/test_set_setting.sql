BEGIN;
SELECT plan(20);

-- The answer, and the value as it is then.
CREATE FUNCTION pg_temp.set(p_name text, p_value integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_answer text;
BEGIN
    SELECT s.outcome || coalesce(
        replace(s.detail #>> '{errors,0,message}', 'give a whole number', ':'), s.detail::text, s.body, '')
    INTO v_answer
    FROM jobs.set_setting(p_name, p_value) AS s;
    RETURN concat_ws(' ', v_answer, jobs._setting(regexp_replace(p_name, '.*:', '')));
END;
$$;
SELECT is(
    (SELECT s.detail FROM jobs.set_setting('LeaseSeconds', 4) AS s),
    '{"errors": [{"pointer": "/value", "message": "give a whole number from 5 to 1000000"}]}',
    'a value out of range is refused with its range');
SELECT is(pg_temp.set(v.name, v.value), v.expected, v.name || ' = ' || v.value)
FROM (VALUES
    ('MaxAttempts', 5, 'ok 5'),
    ('KnowledgeHub:Jobs:MaxAttempts', 6, 'ok 6'),
    ('MaxAttempts', 1, 'ok 1'),
    ('MaxAttempts', 1000000, 'ok 1000000'),
    ('MaxPendingPerActor', 0, 'ok 0'),
    ('LeaseSeconds', 5, 'ok 5'),
    ('LeaseSeconds', 4, 'invalid: from 5 to 1000000 5'),
    ('MaxAttempts', 0, 'invalid: from 1 to 1000000 1000000'),
    ('MaxAttempts', -1, 'invalid: from 1 to 1000000 1000000'),
    ('MaxPendingPerActor', 1000001, 'invalid: from 0 to 1000000 0'),
    ('Nothing', 1, 'not_found'),
    ('maxattempts', 1, 'not_found'),
    ('', 1, 'not_found'),
    ('Hub:Jobs:MaxAttempts', 1, 'not_found 1000000'),
    ('MaxKnowledgeHub:Jobs:Attempts', 1, 'not_found'),
    ('KnowledgeHub:Jobs:KnowledgeHub:Jobs:MaxAttempts', 1, 'not_found 1000000')) AS v (name, value, expected);
SELECT results_eq(
    $$SELECT a.detail FROM jobs_store.audit_event AS a WHERE a.event = 'setting.changed' ORDER BY a.id LIMIT 2$$,
    $$VALUES ('{"name": "MaxAttempts", "value": 5, "before": 3}'::jsonb),
        ('{"name": "MaxAttempts", "value": 6, "before": 5}')$$, 'U1: a change is on the trail, with what was before');
SELECT is(pg_temp.set('LeaseSeconds', 5), 'ok 5', 'the value that it has');
SELECT is((SELECT count(*) FROM jobs_store.audit_event), 6::bigint, 'U1: is no change');

SELECT * FROM finish();
ROLLBACK;
