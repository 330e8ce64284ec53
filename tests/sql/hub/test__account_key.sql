BEGIN;
SELECT plan(3);

SELECT is(hub._account_key('a@b'), sha256('a@b'), 'it is the hash of the address');
SELECT is(hub._account_key(E' Ä@B\n'), sha256(convert_to('ä@b', 'UTF8')), 'in its kept form');
SELECT is(octet_length(hub._account_key(repeat('x', 60000))), 32, 'short, however long that is');

SELECT * FROM finish();
ROLLBACK;
