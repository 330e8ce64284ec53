BEGIN;
SELECT plan(4);

SELECT is(
    hub._utc('2026-01-02 03:04:05.6+02'), '2026-01-02T01:04:05.600000Z',
    'a time is told in UTC with microseconds');
SET LOCAL timezone = 'Asia/Kathmandu';
SELECT is(
    hub._utc('2026-01-02 03:04:05.6+02'), '2026-01-02T01:04:05.600000Z',
    'whatever the time zone of the connection');
SET LOCAL datestyle = 'German';
SELECT is(hub._utc('2026-02-01T00:00:00Z'), '2026-02-01T00:00:00.000000Z', 'and whatever its date style');
SELECT is(hub._utc(NULL), NULL, 'NULL stays NULL');

SELECT * FROM finish();
ROLLBACK;
