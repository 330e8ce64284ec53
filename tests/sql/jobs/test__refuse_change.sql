BEGIN;
SELECT plan(28);
CALL fixture.world();
CALL fixture.start('ended');
SELECT is(fixture.advance('ended'), 'ended', 'a terminal job');
CALL fixture.start('running', fixture.tagging('{Other}'));

CREATE FUNCTION pg_temp.refused(p_role text, p_call text, p_message text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SET LOCAL ROLE %I', p_role);
    RETURN NEXT throws_ok(p_call, 'KH500', p_message, p_call || ' as ' || p_role);
    RESET ROLE;
END;
$$;
GRANT USAGE ON SCHEMA fixture TO PUBLIC;
CALL fixture.remember();
SELECT pg_temp.refused(
    r.role, v.call, split_part(v.call, ' ', 1) || ' of jobs_store.audit_event is refused by audit_event_is_append_only')
FROM (VALUES ('hub_owner'), (current_user::text)) AS r (role),
     (VALUES
        ('UPDATE jobs_store.audit_event SET event = ''x'''),
        ('UPDATE jobs_store.audit_event SET event = ''x'' WHERE false'),
        ('DELETE FROM jobs_store.audit_event'),
        ('DELETE FROM jobs_store.audit_event WHERE false'),
        ('TRUNCATE jobs_store.audit_event')) AS v (call);
SELECT pg_temp.refused(r.role, v.call, v.message)
FROM (VALUES ('hub_owner'), (current_user::text)) AS r (role),
     (VALUES
        ('DELETE FROM jobs_store.job', 'DELETE of jobs_store.job is refused by job_is_kept'),
        ('DELETE FROM jobs_store.job WHERE state = ''running''', 'DELETE of jobs_store.job is refused by job_is_kept'),
        ('TRUNCATE jobs_store.job CASCADE', 'TRUNCATE of jobs_store.job is refused by job_is_kept'),
        ('UPDATE jobs_store.job SET version = version + 1 WHERE state = ''succeeded''',
            'UPDATE of jobs_store.job is refused by job_terminal_is_final'),
        ('UPDATE jobs_store.job SET state = ''running'', finished_at = NULL WHERE state = ''succeeded''',
            'UPDATE of jobs_store.job is refused by job_terminal_is_final')) AS v (call, message);
SELECT pg_temp.refused(
    current_user::text, 'TRUNCATE hub_store.workspace CASCADE',
    'TRUNCATE of jobs_store.job is refused by job_is_kept');
SET LOCAL session_replication_role = replica;
SELECT pg_temp.refused(
    current_user::text, 'DELETE FROM jobs_store.audit_event',
    'DELETE of jobs_store.audit_event is refused by audit_event_is_append_only');
SELECT pg_temp.refused(
    current_user::text, 'DELETE FROM jobs_store.job', 'DELETE of jobs_store.job is refused by job_is_kept');
SELECT pg_temp.refused(
    current_user::text, 'UPDATE jobs_store.job SET version = 99 WHERE state = ''succeeded''',
    'UPDATE of jobs_store.job is refused by job_terminal_is_final');
SET LOCAL session_replication_role = origin;
SELECT ok(fixture.unchanged(), 'U1: nothing changed');
SELECT lives_ok(
    $$UPDATE jobs_store.job SET version = version WHERE state = 'running'$$, 'a job that is not terminal may change');
SELECT is(fixture.advance('running'), 'ended', 'and end');

SELECT * FROM finish();
ROLLBACK;
