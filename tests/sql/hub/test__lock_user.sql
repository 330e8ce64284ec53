BEGIN;
SELECT plan(3);
INSERT INTO hub_store.app_user (email, name, password_hash) VALUES ('ada@example.org', 'Ada', '-');

SELECT is(
    hub._lock_user(E' ADA@example.org\n'),
    (SELECT u.id FROM hub_store.app_user AS u WHERE u.email = 'ada@example.org'), 'a user in any spelling of the address');
SELECT isnt((SELECT u.xmax::text FROM hub_store.app_user AS u WHERE u.email = 'ada@example.org'), '0', 'is locked');
SELECT is(hub._lock_user('bob@example.org'), NULL, 'nobody');

SELECT * FROM finish();
ROLLBACK;
