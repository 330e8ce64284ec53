BEGIN;
SELECT plan(1);

INSERT INTO hub_store.app_user (id, email, name, password_hash, enabled)
VALUES (md5('ada')::uuid, 'ada@example.org', 'Ada', 'x', true), (md5('gone')::uuid, 'gone@example.org', 'Gone', 'x', false);

SELECT hub._record_user_decision('user.disabled', md5('ada')::uuid, '{"x": 1}');
SELECT results_eq(
    $$SELECT a.event, a.workspace_id, a.job_id, a.actor_id, a.by, a.detail FROM jobs_store.audit_event AS a$$,
    $$SELECT 'user.disabled', NULL::uuid, NULL::uuid, NULL::uuid, 'operator', jsonb_build_object(
        'x', 1, 'user', jsonb_build_object('id', md5('ada')::uuid, 'name', 'Ada', 'email', 'ada@example.org'))$$,
    'U1: a decision about a user is kept with who it was then');

SELECT * FROM finish();
ROLLBACK;
