BEGIN;
SELECT plan(13);
CALL fixture.world();
CALL fixture.start('running');
CALL fixture.start('ended', fixture.tagging('{Other}'));
SELECT is(fixture.advance('ended'), 'ended', 'one of them ended');

-- The names of those of the pairs (who, key) who may read; a row a job.
CREATE FUNCTION pg_temp.readers(p_names text[], p_keys text[]) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT concat_ws(' ', j.idempotency_key, r.version, r.terminal, r.snapshot = jobs._snapshot(r.job_id),
        (SELECT string_agg(n.name, ',' ORDER BY n.name)
         FROM (SELECT DISTINCT t.name FROM unnest(p_names) AS t (name)) AS n
             WHERE fixture.session(n.name) = ANY (r.readers)),
        cardinality(r.readers))
    FROM jobs.read_snapshots(
            ARRAY(SELECT fixture.session(n.name) FROM unnest(p_names) WITH ORDINALITY AS n (name, place)
                ORDER BY n.place),
            ARRAY(SELECT coalesce(fixture.job(k.key), fixture.id(k.key))
                FROM unnest(p_keys) WITH ORDINALITY AS k (key, place) ORDER BY k.place)) AS r
    JOIN jobs_store.job AS j ON j.id = r.job_id
    ORDER BY 1;
$$;
SELECT results_eq(
    $$SELECT pg_temp.readers('{ada,ben,ada,ben}', '{running,running,ended,nothing}')$$,
    $$VALUES ('ended 4 t t ada 1'), ('running 2 f t ada,ben 2')$$,
    'V3: a row for each job that exists, with the snapshot every read gives; readers are those of its own pairs');
SELECT results_eq(
    $$SELECT pg_temp.readers('{ada,ada,ada}', '{running,running,running}')$$, $$VALUES ('running 2 f t ada 1')$$,
    'a pair given twice is one');
SELECT is_empty($$SELECT pg_temp.readers('{}', '{}')$$, 'no pairs, no rows');
SELECT results_eq(
    $$SELECT pg_temp.readers('{editor,reader,lapsed,stranger,nobody,cyd}',
        '{running,running,running,running,running,running}')$$,
    $$VALUES ('running 2 f t cyd 1')$$,
    'A5: editors, readers, disabled members, members of other workspaces and unknown sessions are none of its readers');
SELECT results_eq(
    $$SELECT pg_temp.readers('{stranger}', '{running}')$$, $$VALUES ('running 2 f t 0')$$,
    'a job that nobody of the pairs may read has no readers');

CREATE FUNCTION pg_temp.after(p_change text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE p_change;
    RETURN QUERY SELECT pg_temp.readers('{ada,ben}', '{running,running}');
    UPDATE hub_store.app_user AS u SET enabled = true;
    UPDATE hub_store.membership AS m SET enabled = true, role = 'administrator' WHERE m.user_id = fixture.id('ada');
    UPDATE hub_store.session AS s SET last_seen_at = clock_timestamp(), created_at = clock_timestamp();
END;
$$;
SELECT is(pg_temp.after(v.change), 'running 2 f t ben 1', 'A5: ' || v.claim)
FROM (VALUES
    ($$CALL fixture.revoke('ada', 'user')$$, 'a disabled user is no reader'),
    ($$CALL fixture.revoke('ada', 'membership')$$, 'nor with a disabled membership'),
    ($$CALL fixture.revoke('ada', 'role')$$, 'nor with another role'),
    ($$UPDATE hub_store.session AS s SET last_seen_at = clock_timestamp() - interval '30 minutes'
       WHERE s.user_id = fixture.id('ada')$$, 'nor with an idle session'),
    ($$UPDATE hub_store.session AS s SET created_at = clock_timestamp() - interval '12 hours'
       WHERE s.user_id = fixture.id('ada')$$, 'nor with an old one')) AS v (change, claim);
SELECT is(
    pg_temp.after($$DELETE FROM hub_store.session AS s WHERE s.user_id = fixture.id('ada')$$), 'running 2 f t ben 1',
    'A5: nor after signing out');

-- Unwatched jobs are not read.
CALL fixture.fill(5000, 'cyd', 'succeeded', '2 days');
ANALYZE jobs_store.job;
SELECT cmp_ok(
    fixture.reads(format(
        'SELECT * FROM jobs.read_snapshots(ARRAY[%L::bytea], ARRAY[%L::uuid])', fixture.session('ben'),
            fixture.job('running'))),
    '<', 10::bigint, 'E7: jobs that nobody watches are not read');

SELECT * FROM finish();
ROLLBACK;
