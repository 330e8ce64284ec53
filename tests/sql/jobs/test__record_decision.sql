BEGIN;
SELECT plan(1);

CALL fixture.world();
SELECT jobs._record_decision('member.changed', fixture.id('main'), '{"a": 1}');
SELECT jobs._record_decision('setting.changed', NULL, '{"b": 2}');
SELECT results_eq(
    $$SELECT a.event, a.workspace_id, a.job_id, a.actor_id, a.by, a.detail FROM jobs_store.audit_event AS a ORDER BY a.id$$,
    $$VALUES ('member.changed', fixture.id('main'), NULL::uuid, NULL::uuid, 'operator', '{"a": 1}'::jsonb),
        ('setting.changed', NULL, NULL, NULL, 'operator', '{"b": 2}')$$,
    'U1: a decision is kept, of a workspace or of the hub');

SELECT * FROM finish();
ROLLBACK;
