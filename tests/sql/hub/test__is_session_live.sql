BEGIN;
SELECT plan(6);

SELECT is(
    hub._is_session_live(clock_timestamp() - v.begun::interval, clock_timestamp() - v.seen::interval),
    v.expected,
    'begun ' || v.begun || ' ago, seen ' || v.seen || ' ago')
FROM (VALUES
    ('0 s', '0 s', true), ('29 min 50 s', '29 min 50 s', true), ('30 min', '30 min', false),
    ('11 h 59 min', '0 s', true), ('12 h', '0 s', false), ('13 h', '31 min', false)) 
    AS v (begun, seen, expected);

SELECT * FROM finish();
ROLLBACK;
