BEGIN;
SELECT plan(11);

SELECT is(
    hub._uuid('0A0B0C0D-0e0f-1011-1213-141516171819'), '0a0b0c0d-0e0f-1011-1213-141516171819'::uuid,
    'a UUID in any case');
SELECT is(hub._uuid(v.text), NULL, 'not a UUID: ' || coalesce(v.text, 'NULL'))
FROM (VALUES
    (NULL), (''), ('x'), ('0a0b0c0d0e0f10111213141516171819'), ('{0a0b0c0d-0e0f-1011-1213-141516171819}'),
    ('0a0b0c0d-0e0f-1011-1213-14151617181'), ('0a0b0c0d-0e0f-1011-1213-1415161718190'),
    (' 0a0b0c0d-0e0f-1011-1213-141516171819'), (E'0a0b0c0d-0e0f-1011-1213-141516171819\n'),
    ('0a0b0c0d-0e0f-1011-1213-14151617181g')) AS v (text);

SELECT * FROM finish();
ROLLBACK;
