BEGIN;
SELECT plan(3);

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

INSERT INTO hub_store.workspace (id, title) VALUES (md5('between')::uuid, 'i');
INSERT INTO hub_store.course (workspace_id, position, title)
VALUES (md5('There')::uuid, 1, 'a'), (md5('There')::uuid, 2, 'b');
SELECT is(concat_ws(' ', l.outcome, l.detail), 'ok', 'every workspace is listed')
FROM hub.list_all_workspaces() AS l;
SELECT is(
    (SELECT jsonb_agg(w.value ORDER BY w.place)
     FROM hub.list_all_workspaces() AS l
     CROSS JOIN LATERAL jsonb_array_elements(l.body::jsonb -> 'workspaces') WITH ORDINALITY
         AS w (value, place)
     WHERE (w.value ->> 'id')::uuid IN (md5('Here')::uuid, md5('There')::uuid, md5('between')::uuid)),
    jsonb_build_array(
        jsonb_build_object('id', md5('Here')::uuid, 'title', 'Here', 'members', 5, 'courses', 0),
        jsonb_build_object('id', md5('between')::uuid, 'title', 'i', 'members', 0, 'courses', 0),
        jsonb_build_object('id', md5('There')::uuid, 'title', 'There', 'members', 1, 'courses', 2)),
    'by title in any case, with the numbers of members and courses');
SELECT is(
    (SELECT jsonb_array_length(l.body::jsonb -> 'workspaces') FROM hub.list_all_workspaces() AS l)::bigint,
    (SELECT count(*) FROM hub_store.workspace), 'none is left out');

SELECT * FROM finish();
ROLLBACK;
