BEGIN;
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
SELECT plan(6);
CALL fixture.world();
CALL fixture.run_backup();
UPDATE hub_store.app_user AS u SET enabled = false WHERE u.id = fixture.id('cyd');

SELECT results_eq(
    'SELECT m.email, m.name, m.role, m.enabled FROM jobs.read_members(fixture.job(), fixture.lease(), NULL) AS m',
    $$VALUES
        ('ada@example.org', 'Ada', 'administrator', true), ('ben@example.org', 'Ben', 'administrator', true),
        ('cyd@example.org', 'Cyd', 'administrator', false), ('editor@example.org', 'Editor', 'editor', true),
        ('lapsed@example.org', 'Lapsed', 'administrator', false), ('reader@example.org', 'Reader', 'reader', true)$$,
    'the members by e-mail address; enabled is who may act');
SELECT is(
    (SELECT string_agg(m.name, ',') FROM jobs.read_members(fixture.job(), fixture.lease(), 'editor@example.org') AS m),
    'Lapsed,Reader', 'from an address on');
SELECT is_empty(
    $$SELECT m.name FROM jobs.read_members(fixture.job(), fixture.lease(), 'reader@example.org') AS m$$, 'to the end');
WITH added AS (
    INSERT INTO hub_store.app_user (email, name, password_hash)
    SELECT format('zoe%s@example.org', n), 'Zoe', 'hash' FROM generate_series(1, 600) AS n
    RETURNING id)
INSERT INTO hub_store.membership (workspace_id, user_id, role) SELECT fixture.id('main'), a.id, 'reader' FROM added AS a;
SELECT is(
    (SELECT count(*) FROM jobs.read_members(fixture.job(), fixture.lease(), NULL) AS m), 500::bigint, 'at most 500');
SELECT is(
    (SELECT count(*)
     FROM (SELECT max(m.email) AS last FROM jobs.read_members(fixture.job(), fixture.lease(), NULL) AS m) AS f,
          jobs.read_members(fixture.job(), fixture.lease(), f.last)),
    106::bigint, 'the others come next');
SELECT throws_ok(
    'SELECT jobs.read_members(fixture.job(), gen_random_uuid(), NULL)', 'KH423', NULL, 'E4: for the holder of the lease');

SELECT * FROM finish();
ROLLBACK;
