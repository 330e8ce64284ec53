BEGIN;
SELECT plan(12);

SELECT is(jobs._address_bucket(a.address), a.address, 'as it is: ' || a.address)
FROM unnest('{unknown,198.51.100.7,2001:db8::1,2001:db8:1:2:3:4:5:6,::1}'::text[]) AS a (address);
UPDATE jobs_store.setting SET value = 64 WHERE name = 'IPv6PrefixLength';
SELECT is(jobs._address_bucket(v.address), v.bucket, 'of 64 bits: ' || v.address)
FROM (VALUES
    ('unknown', 'unknown'), ('198.51.100.7', '198.51.100.7'), ('2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'),
    ('2001:db8:1:2::', '2001:db8:1:2::'), ('2001:db8:1:3::1', '2001:db8:1:3::')) AS v (address, bucket);
UPDATE jobs_store.setting SET value = 56 WHERE name = 'IPv6PrefixLength';
SELECT is(jobs._address_bucket('2001:db8:1:2ff:3::'), '2001:db8:1:200::', 'of 56 bits');
SELECT throws_ok($$SELECT jobs._address_bucket('a:b')$$, '22P02', NULL, 'what is no address is a mistake');

SELECT * FROM finish();
ROLLBACK;
