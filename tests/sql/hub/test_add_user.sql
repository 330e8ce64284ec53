BEGIN;
SELECT plan(32);

CREATE TEMPORARY TABLE answer AS
SELECT a.* FROM hub.add_user(E' Änne@Example.ORG\n', '  Änne  ', 'a hash') AS a;
SELECT is(concat_ws(' ', a.outcome, a.body), 'ok', 'a user is added') FROM answer AS a;
SELECT results_eq(
    $$SELECT email, name, password_hash, enabled FROM hub_store.app_user
      WHERE id = (SELECT detail ->> 'id' FROM answer)::uuid$$,
    $$VALUES ('änne@example.org', 'Änne', 'a hash', true)$$,
    'the detail is the id; the address is kept in lower case');
SELECT is(concat_ws(' ', a.outcome, a.detail, a.body), 'exists', 'an address is added once')
FROM hub.add_user('ÄNNE@example.org', 'Another', 'another hash') AS a;
UPDATE hub_store.app_user SET enabled = false WHERE email = 'änne@example.org';
SELECT is(a.outcome, 'exists', 'also when its user is disabled')
FROM hub.add_user('änne@example.org', 'Another', 'x') AS a;
SELECT is(
    (SELECT name FROM hub_store.app_user WHERE email = 'änne@example.org'), 'Änne', 'who stays as he was');
SELECT is(
    a.outcome || ' ' || a.detail,
    text 'invalid ' || hub._invalid(
        '/email', 'give an e-mail address like name@example.org, of at most 254 characters'),
    'no address: ' || left(coalesce(v.email, 'NULL'), 30))
FROM (VALUES (NULL), (''), ('a@'), ('@a'), ('ab'), ('a b@c'), ('a@b@c'), (E'a@b\u0001'), (E'a\u00A0b@c'),
    (repeat('x', 253) || '@y'))
    AS v (email)
CROSS JOIN LATERAL hub.add_user(v.email, 'Name', 'x') AS a;
SELECT is(a.outcome, 'ok', 'an address may have 254 characters')
FROM hub.add_user(repeat('x', 252) || '@y', 'N', 'x') AS a;
SELECT is(
    a.outcome || ' ' || a.detail, text 'invalid ' || hub._invalid('/name', 'a name has 1 to 200 characters'),
    'no name: ' || left(coalesce(v.name, 'NULL'), 30))
FROM (VALUES (NULL), (''), ('   '), (repeat('x', 201))) AS v (name)
CROSS JOIN LATERAL hub.add_user('new@example.org', v.name, 'x') AS a;
SELECT is(a.outcome, 'ok', 'a name may have 200 characters')
FROM hub.add_user('a@y', repeat('🙂', 200), 'x') AS a;
SELECT is(jsonb_array_length(a.detail -> 'errors'), 2, 'all that is wrong is told at once')
FROM hub.add_user('', '', 'x') AS a;
SELECT is(
    a.outcome || ' ' || (a.detail #>> '{errors,0,pointer}'), 'invalid ' || v.pointer, 'what nobody sees: ' || v.claim)
FROM (VALUES
    ('eve@example.org', U&'Eve\202Eadmin', '/name', 'an override'), ('eve@example.org', U&'E\200Bve', '/name', 'zero width'),
    ('eve@example.org', E'Eve\nOperator', '/name', 'a line break'), ('eve@example.org', U&'Eve\00A0X', '/name', 'a blank'),
    (U&'e\200Bve@example.org', 'Eve', '/email', 'in an address'), (U&'eve@example\3000.org', 'Eve', '/email', 'a blank there'),
    (U&'eve@exa\FEFFmple.org', 'Eve', '/email', 'a mark')) AS v (email, name, pointer, claim)
CROSS JOIN LATERAL hub.add_user(v.email, v.name, 'x') AS a;
SELECT is(a.outcome, 'ok', 'a name is kept in one form') FROM hub.add_user('zoe@example.org', U&'Zoe\0308', 'x') AS a;
SELECT is((SELECT name FROM hub_store.app_user WHERE email = 'zoe@example.org'), 'Zoë', 'NFC');
SELECT results_eq(
    $$SELECT a.detail #>> '{user,email}' FROM jobs_store.audit_event AS a WHERE a.event = 'user.added' ORDER BY a.id LIMIT 1$$,
    $$VALUES ('änne@example.org')$$, 'U1: it is on the trail');

SELECT * FROM finish();
ROLLBACK;
