BEGIN;
SELECT plan(6);

CALL fixture.world();
CALL fixture.queue();
CREATE FUNCTION pg_temp.refuse(p_event text, p_who text, p_job uuid, p_workspace text DEFAULT 'main')
RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM jobs._record_refusal(p_event, fixture.id(p_workspace), fixture.id(p_who), p_job, '192.0.2.3');
    RETURN (SELECT count(*) FROM jobs_store.audit_event AS a WHERE a.event LIKE '%\_refused');
END;
$$;
SELECT is(pg_temp.refuse('job.cancel_refused', 'editor', fixture.job()), 1::bigint, 'a refusal is kept');
SELECT is(pg_temp.refuse('job.cancel_refused', 'editor', NULL), 1::bigint, 'the first in a minute');
SELECT is(
    pg_temp.refuse('job.create_refused', 'editor', NULL) + pg_temp.refuse('job.cancel_refused', 'reader', gen_random_uuid())
    + pg_temp.refuse('job.cancel_refused', 'editor', fixture.job(), 'other'), 9::bigint,
    'of each event, member and workspace');
SELECT bag_eq(
    $$SELECT a.event, a.workspace_id, (a.detail ->> 'job_id')::uuid, a.actor_name, a.by, host(a.address)
      FROM jobs_store.audit_event AS a WHERE a.event LIKE '%\_refused'$$,
    $$VALUES
        ('job.cancel_refused', fixture.id('main'), fixture.job(), 'Editor', 'user', '192.0.2.3'),
        ('job.create_refused', fixture.id('main'), NULL, 'Editor', 'user', '192.0.2.3'),
        ('job.cancel_refused', fixture.id('main'), NULL, 'Reader', 'user', '192.0.2.3'),
        ('job.cancel_refused', fixture.id('other'), NULL, 'Editor', 'user', '192.0.2.3')$$,
    'with who it was, from where, and a job of that workspace only');
SELECT is(fixture.events(), 'queued by user', 'the job''s own trail holds what happened to it');
INSERT INTO jobs_store.audit_event (at, event, workspace_id, by, actor_id)
SELECT clock_timestamp() - interval '61 seconds', 'job.create_refused', fixture.id('main'), 'user', fixture.id('lapsed');
SELECT is(pg_temp.refuse('job.create_refused', 'lapsed', NULL), 6::bigint, 'after a minute the next one is kept');

SELECT * FROM finish();
ROLLBACK;
