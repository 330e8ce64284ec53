BEGIN;
SELECT plan(15);

-- Everybody's id is the md5 of the name, everybody's session the sha256; "lapsed" is a disabled member of
-- "Here", "stranger" a member of "There" only, and "gone" a disabled user.
INSERT INTO hub_store.app_user (id, email, name, password_hash, enabled)
SELECT md5(n.name)::uuid, n.name || '@example.org', initcap(n.name), 'hash of ' || n.name, n.name <> 'gone'
FROM unnest(ARRAY['administrator', 'editor', 'reader', 'lapsed', 'stranger', 'gone']) AS n (name);
INSERT INTO hub_store.session (token_hash, user_id)
SELECT sha256(n.name::bytea), md5(n.name)::uuid
FROM unnest(ARRAY['administrator', 'editor', 'reader', 'lapsed', 'stranger', 'gone']) AS n (name);
INSERT INTO hub_store.workspace (id, title) VALUES (md5('Here')::uuid, 'Here'), (md5('There')::uuid, 'There');
INSERT INTO hub_store.membership (workspace_id, user_id, role, enabled)
SELECT md5(m.place)::uuid, md5(m.name)::uuid, m.role, m.enabled
FROM (VALUES
    ('Here', 'administrator', 'administrator', true),
    ('Here', 'editor', 'editor', true),
    ('Here', 'reader', 'reader', true),
    ('Here', 'lapsed', 'administrator', false),
    ('Here', 'gone', 'administrator', true),
    ('There', 'stranger', 'administrator', true)) AS m (place, name, role, enabled);

SELECT is(
    concat_ws(' ', s.outcome, s.body, s.detail),
    text 'ok ' || jsonb_build_object('id', md5('stranger')::uuid), 'a member is added')
FROM hub.set_membership(md5('Here')::uuid, ' STRANGER@example.org', 'reader', true) AS s;
SELECT is(s.outcome, 'ok', 'a membership is changed')
FROM hub.set_membership(md5('Here')::uuid, 'administrator@example.org', 'editor', false) AS s;
SELECT is(s.outcome, 'ok', 'a disabled user may have one')
FROM hub.set_membership(md5('There')::uuid, 'gone@example.org', 'administrator', true) AS s;
SELECT results_eq(
    $$SELECT u.name, m.role, m.enabled
      FROM hub_store.membership AS m
      JOIN hub_store.app_user AS u ON u.id = m.user_id
      WHERE m.workspace_id IN (md5('Here')::uuid, md5('There')::uuid)
      ORDER BY m.workspace_id = md5('Here')::uuid DESC, u.name$$,
    $$VALUES
        ('Administrator', 'editor', false), ('Editor', 'editor', true), ('Gone', 'administrator', true),
        ('Lapsed', 'administrator', false), ('Reader', 'reader', true), ('Stranger', 'reader', true),
        ('Gone', 'administrator', true), ('Stranger', 'administrator', true)$$,
    'those memberships are, and no others changed');
SELECT is(
    concat_ws(' ', s.outcome, s.body, s.detail),
    text 'invalid ' || hub._invalid('/role', 'the role is administrator, editor or reader'),
    'no role: ' || coalesce(v.role, 'NULL'))
FROM (VALUES (NULL), (''), ('Reader'), ('owner')) AS v (role)
CROSS JOIN LATERAL hub.set_membership(md5('Here')::uuid, 'reader@example.org', v.role, true) AS s;
SELECT is(concat_ws(' ', s.outcome, s.body, s.detail), 'not_found {"missing": "user"}', 'an unknown address')
FROM hub.set_membership(md5('nowhere')::uuid, 'nobody@example.org', 'reader', true) AS s;
SELECT is(
    concat_ws(' ', s.outcome, s.body, s.detail), 'not_found {"missing": "workspace"}', 'an unknown workspace')
FROM hub.set_membership(md5('nowhere')::uuid, 'reader@example.org', 'reader', true) AS s;
INSERT INTO hub_store.app_user (id, email, name, password_hash)
VALUES (md5('fresh')::uuid, 'fresh@example.org', 'Fresh', 'x');
SELECT is(s.outcome, 'not_found', 'the user is locked')
FROM hub.set_membership(md5('nowhere')::uuid, 'fresh@example.org', 'reader', true) AS s;
SELECT isnt_empty(
    $$SELECT FROM hub_store.app_user WHERE id = md5('fresh')::uuid AND xmax = pg_current_xact_id()::xid$$,
    'before anything is judged');
SELECT results_eq(
    $$SELECT a.workspace_id, a.detail FROM jobs_store.audit_event AS a WHERE a.event = 'member.changed' ORDER BY a.id$$,
    $$SELECT md5(v.place)::uuid, jsonb_build_object(
          'user', jsonb_build_object('id', md5(lower(v.name))::uuid, 'name', v.name), 'role', v.role,
          'enabled', v.enabled, 'before', v.before)
      FROM (VALUES
          ('Here', 'Stranger', 'reader', true, NULL::jsonb),
          ('Here', 'Administrator', 'editor', false, '{"role": "administrator", "enabled": true}'),
          ('There', 'Gone', 'administrator', true, NULL)) AS v (place, name, role, enabled, before)$$,
    'U1: every change is on the trail of the workspace, with what was before');
SELECT is(s.outcome, 'ok', 'what is so already')
FROM hub.set_membership(md5('There')::uuid, 'gone@example.org', 'administrator', true) AS s;
SELECT is((SELECT count(*) FROM jobs_store.audit_event), 3::bigint, 'U1: is no change');

SELECT * FROM finish();
ROLLBACK;
