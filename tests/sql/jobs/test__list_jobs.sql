BEGIN;
SELECT plan(33);
CALL fixture.world();
UPDATE jobs_store.setting AS s SET value = 1000 WHERE s.name LIKE 'MaxPending%';

CREATE FUNCTION pg_temp.list(
    p_state text DEFAULT NULL, p_kind text DEFAULT NULL, p_cursor text DEFAULT NULL, p_limit integer DEFAULT 50)
RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', l.outcome, l.detail,
        (SELECT string_agg(j.idempotency_key, ',' ORDER BY e.place)
         FROM jsonb_array_elements(l.body::jsonb -> 'jobs') WITH ORDINALITY AS e (job, place)
         JOIN jobs_store.job AS j ON j.id = (e.job ->> 'id')::uuid),
        '| ' || coalesce(
            (SELECT j.idempotency_key FROM jobs_store.job AS j WHERE j.id::text = l.body::jsonb ->> 'next_cursor'),
                'end'))
    FROM jobs._list_jobs(fixture.id('main'), p_state, p_kind, p_cursor, p_limit) AS l;
$$;
SELECT is(pg_temp.list(), 'ok | end', 'no jobs');
CALL fixture.queue('1');
CALL fixture.queue('2', '{"kind": "archive"}');
CALL fixture.queue('3');
CALL fixture.queue('4', '{"kind": "archive"}');
CALL fixture.queue('5');
UPDATE jobs_store.job AS j
SET created_at = timestamptz '2020-01-01' + make_interval(mins => j.idempotency_key::integer);
UPDATE jobs_store.job AS j SET created_at = '2020-01-01 00:03' WHERE j.idempotency_key = '4';
SELECT is(
    fixture.create('x', 'stranger', fixture.tagging('{New}', 'foreign'), 'other'), 'created',
    'one in another workspace');
SELECT is(
    pg_temp.list(),
    CASE WHEN fixture.job('4') > fixture.job('3') THEN 'ok 5,4,3,2,1 | end' ELSE 'ok 5,3,4,2,1 | end' END,
    'newest first, by id where the time is the same, of this workspace only');
SELECT is(
    l.body::jsonb, jsonb_build_object('jobs', jsonb_build_array(fixture.snapshot('5')), 'next_cursor',
        fixture.job('5')),
    'every job with its whole snapshot')
FROM jobs._list_jobs(fixture.id('main'), NULL, NULL, NULL, 1) AS l;
SELECT is(pg_temp.list(p_kind => 'archive'), 'ok 4,2 | end', 'of one kind');
SELECT is(pg_temp.list(p_kind => 'nothing'), 'ok | end', 'of an unknown kind: none');
SELECT is(fixture.cancel('1'), 'ok', 'one is cancelled');
SELECT is(pg_temp.list(p_state => 'cancelled'), 'ok 1 | end', 'in one state');
SELECT is(pg_temp.list(p_state => 'queued', p_kind => 'archive'), 'ok 4,2 | end', 'of both');

-- Part by part.
CREATE FUNCTION pg_temp.walk(p_limit integer, p_kind text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_cursor text;
    v_body jsonb;
    v_walk text := '';
BEGIN
    LOOP
        SELECT l.body::jsonb INTO v_body FROM jobs._list_jobs(fixture.id('main'), NULL, p_kind, v_cursor, p_limit) AS l;
        v_walk := v_walk || '|' || (
            SELECT string_agg(j.idempotency_key, ',' ORDER BY e.place)
            FROM jsonb_array_elements(v_body -> 'jobs') WITH ORDINALITY AS e (job, place)
            JOIN jobs_store.job AS j ON j.id = (e.job ->> 'id')::uuid);
        v_cursor := v_body ->> 'next_cursor';
        EXIT WHEN v_cursor IS NULL;
    END LOOP;
    RETURN v_walk;
END;
$$;
SELECT is(
    replace(pg_temp.walk(n), '|', ','), ',' || substr(split_part(pg_temp.list(), ' |', 1), 4), 'in parts of ' || n
    || ': every job once')
FROM generate_series(1, 6) AS n;
SELECT is(length(pg_temp.walk(2)) - length(replace(pg_temp.walk(2), '|', '')), 3, 'in three parts of two');
SELECT is(
    length(pg_temp.walk(5)) - length(replace(pg_temp.walk(5), '|', '')), 1,
    'in one part of five, with no empty one after it');
SELECT is(pg_temp.walk(1, 'archive'), '|4|2', 'with a filter, too');
CALL fixture.queue('6');
SELECT is(
    pg_temp.list(p_cursor => fixture.job('2')::text), 'ok 1 | end', 'a cursor stays where it is when jobs are added');

-- Cursors that are none.
SELECT is(
    pg_temp.list(p_cursor => c.cursor),
    'invalid {"errors": [{"message": "take the cursor from the last answer", "pointer": "/cursor"}]} | end',
        'no cursor: ' || c.claim)
FROM (VALUES
    ('', 'empty'), ('1', 'a number'), ('x', 'a word'), (gen_random_uuid()::text, 'an unknown id'),
    (fixture.job('x')::text, 'a job of another workspace'), (fixture.job('2') || ' ', 'with a blank')) AS c (cursor,
        claim);

-- History costs nothing.
CALL fixture.fill(5000, 'cyd', 'succeeded', '2 days');
UPDATE jobs_store.job AS j SET created_at = clock_timestamp() - interval '3 days'
    WHERE j.idempotency_key ~ '^[0-9]$' AND j.state = 'queued';
ANALYZE jobs_store.job;
SELECT cmp_ok(
    fixture.reads($$SELECT jobs._list_jobs(fixture.id('main'), NULL, NULL, NULL, 10)$$), '<', 50::bigint,
    'E7: the newest ten of 5,000 are found without the others');
SELECT cmp_ok(
    fixture.reads(format(
        'SELECT jobs._list_jobs(fixture.id(%L), NULL, NULL, %L, 10)', 'main',
        (SELECT j.id FROM jobs_store.job AS j WHERE j.workspace_id = fixture.id('main') ORDER BY j.created_at DESC,
            j.id DESC OFFSET 4000 LIMIT 1))),
    '<', 50::bigint, 'E7: and the ten after the 4,000th, without those before');
SELECT cmp_ok(
    fixture.reads(format('SELECT jobs._list_jobs(fixture.id(%L), %L, %L, NULL, 10)', 'main', f.state, f.kind)),
    '<', 50::bigint, format('E7: and the few of them that are %s', coalesce(f.state, f.kind)))
FROM (VALUES ('queued', NULL), ('failed', NULL), ('cancelled', NULL), ('running', NULL), (NULL, 'archive'),
    ('failed', 'archive'))
    AS f (state, kind);

SELECT * FROM finish();
ROLLBACK;
