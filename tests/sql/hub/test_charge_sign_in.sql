BEGIN;
SELECT plan(21);

INSERT INTO hub_store.app_user (id, email, name, password_hash, enabled)
VALUES (md5('ada')::uuid, 'ada@example.org', 'Ada', 'x', true), (md5('gone')::uuid, 'gone@example.org', 'Gone', 'x', false);

CREATE FUNCTION pg_temp.charge(p_email text, p_address text DEFAULT '192.0.2.1') RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', c.outcome, c.detail, c.body) FROM hub.charge_sign_in(p_email, p_address) AS c;
$$;
SELECT is(pg_temp.charge('ada@example.org'), 'ok {"delay_ms": ' || v.delay || '}', 'attempt ' || v.n)
FROM (VALUES (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 200), (8, 400), (9, 600), (10, 800)) AS v (n, delay);
SELECT is(
    pg_temp.charge(' ADA@example.org'), 'login_throttled {"retry_after": 900}', 'ten at an account from an address');
CREATE TEMPORARY TABLE before ON COMMIT DROP AS SELECT a.account, a.address, a.times FROM hub_store.sign_in_attempt AS a;
SELECT is(pg_temp.charge('ada@example.org'), 'login_throttled {"retry_after": 900}', 'no more');
SELECT set_eq(
    $$SELECT a.account, a.address, a.times FROM hub_store.sign_in_attempt AS a$$, $$SELECT * FROM before$$,
    'what is refused is not counted');
SELECT is(
    pg_temp.charge('ada@example.org', '192.0.2.2'), 'ok {"delay_ms": 1000}', 'from another address she is only slowed');
SELECT is(
    (SELECT pg_temp.charge('ada@example.org', '192.0.2.' || max(n)) FROM (
        SELECT n, pg_temp.charge('ada@example.org', '192.0.2.' || n) FROM generate_series(3, 40) AS n OFFSET 0) AS s),
    'ok {"delay_ms": 2000}', 'by two seconds at most, and never locked out');
SELECT is(
    (SELECT count(*) FROM generate_series(1, 20) AS n WHERE pg_temp.charge('nobody' || n) = 'ok {"delay_ms": 0}'),
    20::bigint, 'unknown accounts count like known ones');
SELECT is(pg_temp.charge('ben@example.org'), 'login_throttled {"retry_after": 900}', 'thirty from an address');
CREATE TEMPORARY TABLE attempts ON COMMIT DROP AS SELECT count(*) AS count FROM hub_store.sign_in_attempt;
SELECT is(
    (SELECT count(*) FROM generate_series(1, 500) AS n WHERE pg_temp.charge('x' || n) LIKE 'login_throttled%'), 500::bigint,
    'no more, whoever is tried');
SELECT is((SELECT count(*) FROM hub_store.sign_in_attempt), a.count, 'and no row is made for it') FROM attempts AS a;
SELECT results_eq(
    $$SELECT r.event, r.user_id, r.address FROM hub_store.sign_in_refusal AS r ORDER BY r.id$$,
    $$VALUES ('sign_in.throttled', md5('ada')::uuid, '192.0.2.1'), ('sign_in.throttled', NULL, '192.0.2.1')$$,
    'a throttling is remembered once a minute');
UPDATE hub_store.sign_in_attempt SET told_at = told_at - interval '61 seconds';
SELECT '#', count(pg_temp.charge('y' || n)) FROM generate_series(1, 5) AS n;
SELECT is((SELECT count(*) FROM hub_store.sign_in_refusal), 3::bigint, 'and once more in the next');

SELECT * FROM finish();
ROLLBACK;
