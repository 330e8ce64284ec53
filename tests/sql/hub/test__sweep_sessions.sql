BEGIN;
SELECT plan(5);

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

DELETE FROM hub_store.session WHERE NOT hub._is_session_live(created_at, last_seen_at);
UPDATE hub_store.session SET last_seen_at = clock_timestamp() - interval '31 minutes'
WHERE token_hash = sha256('reader');
UPDATE hub_store.session SET created_at = clock_timestamp() - interval '13 hours'
WHERE token_hash = sha256('editor');
SELECT is(hub._sweep_sessions(), 2, 'it counts the sessions that were over');
SELECT is_empty(
    $$SELECT FROM hub_store.session WHERE token_hash IN (sha256('reader'), sha256('editor'))$$,
    'they are gone');
SELECT isnt_empty($$SELECT FROM hub_store.session WHERE token_hash = sha256('stranger')$$, 'the others stay');
SELECT is(hub._sweep_sessions(), 0, 'then there is nothing left to do');
SET LOCAL enable_hashjoin = off;
SET LOCAL enable_mergejoin = off;
SET LOCAL enable_hashagg = off;
SET LOCAL enable_sort = off;
INSERT INTO hub_store.session (token_hash, user_id, last_seen_at)
SELECT sha256(i::text::bytea), md5('reader')::uuid, clock_timestamp() - interval '1 day'
FROM generate_series(1, 1001) AS i;
SELECT is(hub._sweep_sessions(), 1000, 'a call deletes a thousand at most, under bad plans, too');

SELECT * FROM finish();
ROLLBACK;
