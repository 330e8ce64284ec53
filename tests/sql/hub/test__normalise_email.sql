BEGIN;
SELECT plan(3);

SELECT is(
    hub._normalise_email(E' \tAnna.Ж@Example.ORG \r\n'), 'anna.ж@example.org', 'trimmed and lower-cased');
SELECT is(hub._normalise_email('a@b'), 'a@b', 'an address in its kept form stays');
SELECT is(hub._normalise_email(NULL), NULL, 'NULL stays NULL');

SELECT * FROM finish();
ROLLBACK;
