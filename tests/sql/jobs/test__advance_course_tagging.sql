BEGIN;
SELECT plan(69);
CALL fixture.world();
CALL fixture.grow(6);
UPDATE jobs_store.setting AS s SET value = 100 WHERE s.name LIKE 'MaxPending%';

-- Pages that raise when they are written, with the SQLSTATE they raise.
CREATE TEMPORARY TABLE bad_page ON COMMIT DROP AS SELECT NULL::uuid AS id, NULL::text AS code LIMIT 0;
CREATE FUNCTION pg_temp.refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    v_code text := (SELECT b.code FROM pg_temp.bad_page AS b WHERE b.id = new.id);
BEGIN
    IF v_code IS NOT NULL THEN
        RAISE EXCEPTION 'secret words about page %', new.title USING ERRCODE = v_code;
    END IF;
    RETURN new;
END;
$$;
CREATE TRIGGER refuse BEFORE UPDATE ON hub_store.page FOR EACH ROW EXECUTE FUNCTION pg_temp.refuse();

-- The kind's own step.
CALL fixture.start('step');
SELECT is(
    jobs._advance_course_tagging(jsonb_build_object('job', fixture.job('step'), 'page_limit', 2, 'budget', '1 minute')),
    '{"changed": 2, "skipped": 0, "failed": 0, "stopped": null}', 'a step says what it did');
SELECT is(
    jobs._advance_course_tagging(jsonb_build_object('job', fixture.job('step'), 'page_limit', 9, 'budget', '0')),
    '{"changed": 0, "skipped": 1, "failed": 0, "stopped": null}', 'a step without time visits one page');
SELECT is(
    jobs._advance_course_tagging(jsonb_build_object('job', fixture.job('step'), 'page_limit', 5000, 'budget',
        '1 minute')),
    '{"changed": 4, "skipped": 2, "failed": 0, "stopped": null}', 'a step ends with the worklist');
SELECT is(
    jobs._advance_course_tagging(jsonb_build_object('job', fixture.job('step'), 'page_limit', 0, 'budget', '1 minute')),
    '{"changed": 0, "skipped": 0, "failed": 0, "stopped": null}', 'a step of no page visits none');
UPDATE hub_store.page AS p SET tags = '{}';
SELECT is(fixture.cancel('step'), 'asked', 'enough of it');

-- Refused pages, wherever they are.
CREATE FUNCTION pg_temp.tag_but(p_key text, p_bad integer[], p_pages integer DEFAULT 1000)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM bad_page;
    INSERT INTO bad_page SELECT fixture.page(n), 'P0001' FROM unnest(p_bad) AS n;
    CALL fixture.start(p_key, fixture.tagging(ARRAY[p_key]));
    FOR n IN 1..30 LOOP
        EXIT WHEN fixture.advance(p_key, p_pages) = 'ended';
    END LOOP;
    RETURN concat_ws(' ', fixture.state(p_key), fixture.progress(p_key), fixture.errors(p_key),
        (SELECT string_agg(p.position::text, '' ORDER BY p.position)
         FROM hub_store.page AS p WHERE p_key = ANY (p.tags)));
END;
$$;
SELECT is(pg_temp.tag_but(v.key, v.bad), v.expected, 'E2: a page that is refused is a safe failure: ' || v.key)
FROM (VALUES
    ('first', '{1}'::integer[], 'succeeded 6/6 5+0+1 1 page_rejected 23456'),
    ('middle', '{3}', 'succeeded 6/6 5+0+1 3 page_rejected 12456'),
    ('last', '{6}', 'succeeded 6/6 5+0+1 6 page_rejected 12345'),
    ('several', '{2,3,5}', 'succeeded 6/6 3+0+3 2 page_rejected, 3 page_rejected, 5 page_rejected 146'),
    ('ends', '{1,6}', 'succeeded 6/6 4+0+2 1 page_rejected, 6 page_rejected 2345'),
    ('all', '{1,2,3,4,5,6}',
        'succeeded 6/6 0+0+6 1 page_rejected, 2 page_rejected, 3 page_rejected, 4 page_rejected, 5 page_rejected, '
        || '6 page_rejected')) AS v (key, bad, expected);
SELECT is(
    pg_temp.tag_but('small', '{2,4}', 2), 'succeeded 6/6 4+0+2 2 page_rejected, 4 page_rejected 1356',
    'E2: also in steps of two pages');
SELECT is(
    pg_temp.tag_but('single', '{1,4}', 1), 'succeeded 6/6 4+0+2 1 page_rejected, 4 page_rejected 2356',
    'E2: and of one');
SELECT is(
    fixture.snapshot('single') -> 'errors' -> 0,
    jsonb_build_object(
        'page_id', fixture.page(1), 'page_title', 'Page 1', 'code', 'page_rejected',
        'message', 'The database refused the change of this page. Ask who runs the system.'),
    'V4: the failure holds none of the words of the error');

-- A step does pages up to the refused one, so that no more than those is done twice.
DELETE FROM bad_page;
INSERT INTO bad_page VALUES (fixture.page(4), 'P0001');
CALL fixture.start('upto', fixture.tagging('{upto}'));
SELECT is(fixture.advance('upto'), 'continue', 'a step that meets a refused page');
SELECT is(fixture.progress('upto'), '3/6 3+0+0', 'E3: commits those before it');
SELECT is(fixture.advance('upto'), 'continue', 'the next step');
SELECT is(fixture.progress('upto'), '4/6 3+0+1', 'E3: records it alone');
SELECT is(fixture.advance('upto'), 'ended', 'and the one after that does the rest');
SELECT is(fixture.progress('upto'), '6/6 5+0+1', 'E3: once');

-- Whose fault an error is.
CREATE FUNCTION pg_temp.raises(p_code text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_key text := 'raises-' || p_code;
BEGIN
    DELETE FROM bad_page;
    INSERT INTO bad_page VALUES (fixture.page(2), p_code);
    CALL fixture.start(v_key, fixture.tagging(ARRAY[v_key]));
    CALL fixture.remember();
    BEGIN
        PERFORM fixture.advance(v_key);
    EXCEPTION WHEN OTHERS THEN
        RETURN sqlstate || CASE WHEN fixture.unchanged() THEN '' ELSE ' and left something' END;
    END;
    RETURN fixture.progress(v_key);
END;
$$;
SELECT is(pg_temp.raises(v.code), v.code, 'E2: not the page''s fault, the step is undone as a whole: ' || v.code)
FROM (VALUES ('08006'), ('25006'), ('25P03'), ('40001'), ('40P01'), ('53100'), ('53200'), ('55P03'), ('57P01'),
    ('57P03'),
    ('58030'), ('XX000'), ('XX001'), ('KH423'), ('KH500')) AS v (code);
SELECT is(pg_temp.raises(v.code), '1/6 1+0+0', 'E2: the page''s fault, the page before it is done: ' || v.code)
FROM (VALUES ('P0001'), ('22001'), ('23505'), ('23514'), ('44000'), ('54000')) AS v (code);
DELETE FROM bad_page;

-- Deleted and full pages.
INSERT INTO hub_store.page (id, course_id, position, title, content, tags)
SELECT fixture.page(100 + n), fixture.id('empty'), n, 'Full ' || n, '',
       ARRAY(SELECT 't' || k FROM generate_series(1, 198 + n) AS k)
FROM generate_series(0, 2) AS n;
INSERT INTO hub_store.page (id, course_id, position, title, content)
VALUES (fixture.page(99), fixture.id('empty'), 90, 'Gone', ''),
    (fixture.page(200), fixture.id('empty'), 91, 'Gone too', '');
CALL fixture.start('various', fixture.tagging('{t1,New,Newer}', 'empty'));
DELETE FROM hub_store.page AS p WHERE p.id IN (fixture.page(99), fixture.page(200));
INSERT INTO hub_store.page (id, course_id, position, title, content)
VALUES (fixture.page(150), fixture.id('empty'), 92, 'Added later', '');
SELECT is(fixture.advance('various'), 'ended', 'deleted pages and full ones');
SELECT is(
    fixture.progress('various') || ': ' || fixture.errors('various'),
    '5/5 1+0+4: 63 page_missing, 65 tags_full, 66 tags_full, c8 page_missing',
    'E2: are safe failures, in page order, beside one that changes');
SELECT is(cardinality(fixture.tags(100)), 200, 'E2: a page may be filled to 200 tags');
SELECT is(cardinality(fixture.tags(101)), 199, 'E2: or gets none of the tags');
SELECT is(fixture.tags(150), '{}', 'A1: a page that came after the admission is not on the worklist');
SELECT is(
    jsonb_path_query_array(fixture.snapshot('various'), '$.errors[*].page_title'),
    '[null, "Full 1", "Full 2", null]', 'the titles are as when recorded, null for a missing page');
UPDATE hub_store.page AS p SET title = 'Renamed' WHERE p.id = fixture.page(101);
SELECT is(
    fixture.snapshot('various') #>> '{errors,1,page_title}', 'Full 1', 'V3: and stay so');
CALL fixture.start('again', fixture.tagging('{t1}', 'empty'));
SELECT is(fixture.advance('again'), 'ended', 'with a tag that a full page has,');
SELECT is(fixture.progress('again'), '4/4 1+3+0', 'E2: it is skipped, not full');

-- A page is taken as it is when its turn comes.
UPDATE hub_store.page AS p SET tags = '{}';
CREATE TEMPORARY TABLE was ON COMMIT DROP AS
SELECT p.id, p.etag, p.updated_at, md5(p.content) AS content FROM hub_store.page AS p;
CALL fixture.start('now', fixture.tagging('{Old Plan,Été,Straße}'));
UPDATE hub_store.page AS p SET tags = '{été,OLD PLAN,straße,Own}' WHERE p.id = fixture.page(1);
UPDATE hub_store.page AS p SET tags = '{Own,ÉTÉ}' WHERE p.id = fixture.page(2);
SELECT is(fixture.advance('now'), 'ended', 'pages that were edited after the admission');
SELECT is(fixture.progress('now'), '6/6 5+1+0', 'E2: one had all the tags by then');
SELECT results_eq(
    $$SELECT p.tags, p.etag = w.etag, p.updated_at = w.updated_at
      FROM hub_store.page AS p JOIN was AS w ON w.id = p.id WHERE p.id = fixture.page(1)$$,
    $$VALUES ('{été,OLD PLAN,straße,Own}'::text[], true, true)$$,
    'E2: in other spellings, so it got neither a tag nor an etag nor a time');
SELECT results_eq(
    $$SELECT p.tags, p.etag = w.etag, p.updated_at > w.updated_at
      FROM hub_store.page AS p JOIN was AS w ON w.id = p.id WHERE p.id = fixture.page(2)$$,
    $$VALUES ('{Own,ÉTÉ,Old Plan,Straße}'::text[], false, true)$$,
    'E2: another got what it had not, after its own, with another etag and time');
SELECT is_empty(
    $$SELECT FROM hub_store.page AS p JOIN was AS w ON w.id = p.id WHERE md5(p.content) <> w.content$$,
    'E2: content stays as it is, byte for byte');
CREATE TEMPORARY TABLE once ON COMMIT DROP AS SELECT p.id, p.etag, p.updated_at FROM hub_store.page AS p;
CALL fixture.start('twice', fixture.tagging('{straße,OLD  plan,été}'));
SELECT is(fixture.advance('twice'), 'ended', 'the same tags once more');
SELECT is(fixture.progress('twice'), '6/6 0+6+0', 'E2: every page is skipped');
SELECT is_empty(
    $$SELECT FROM hub_store.page AS p JOIN once AS o ON o.id = p.id
      WHERE (p.etag, p.updated_at) <> (o.etag, o.updated_at)$$, 'E2: and not touched');

-- The right is asked for before each page.
CREATE FUNCTION pg_temp.revoke() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    CALL fixture.revoke('ben');
    RETURN new;
END;
$$;
CREATE TRIGGER revoke BEFORE UPDATE ON hub_store.page FOR EACH ROW
    WHEN (new.id = fixture.page(3)) EXECUTE FUNCTION pg_temp.revoke();
CALL fixture.start('right', fixture.tagging('{Right}'), 'ben');
SELECT is(fixture.advance('right'), 'ended', 'an actor who loses the right in the middle of a step');
SELECT is(
    concat_ws(' ', fixture.state('right'), fixture.failure('right'), fixture.progress('right')),
    'failed actor_not_authorised 3/6 3+0+0', 'E1: the next page is not tagged');
SELECT is(fixture.tags(3) @> '{Right}' AND NOT fixture.tags(4) @> '{Right}', true, 'E1: those before it stay');
DROP TRIGGER revoke ON hub_store.page;

-- A page that was found locked, and is free now.
CALL fixture.start('free', fixture.tagging('{Free}'));
UPDATE jobs_store.job AS j SET page_locked_since = clock_timestamp() - interval '1 hour'
    WHERE j.id = fixture.job('free');
SELECT is(fixture.advance('free', 1), 'continue', 'a page that was locked before');
SELECT is(
    fixture.progress('free') || ' ' || coalesce((SELECT j.page_locked_since FROM jobs_store.job AS j
        WHERE j.id = fixture.job('free'))::text, 'forgotten'),
    '1/6 1+0+0 forgotten', 'E2: is tagged, and the lock is forgotten');

-- More failures than are kept.
DELETE FROM hub_store.page;
INSERT INTO hub_store.page (id, course_id, position, title, content)
SELECT fixture.page(n), fixture.id('course'), n, 'Page ' || n, '' FROM generate_series(1, 250) AS n;
CALL fixture.start('many', fixture.tagging('{Many}'));
DELETE FROM hub_store.page AS p WHERE p.course_id = fixture.id('course') AND p.position BETWEEN 11 AND 130;
INSERT INTO bad_page VALUES (fixture.page(5), 'P0001');
SELECT is(fixture.advance('many'), 'continue', '121 pages');
SELECT is(fixture.advance('many'), 'continue', 'that cannot');
SELECT is(fixture.advance('many'), 'ended', 'be tagged');
SELECT is(fixture.progress('many'), '250/250 129+0+121', 'all of them are counted');
SELECT results_eq(
    $$SELECT count(*), min(e.page_id::text), max(e.page_id::text) FROM jobs_store.page_error AS e
        WHERE e.job_id = fixture.job('many')$$,
    $$VALUES (100::bigint, fixture.page(5)::text, fixture.page(109)::text)$$, 'the first 100 by page id are kept');
SELECT is(
    jsonb_path_query_array(fixture.snapshot('many'), '$.errors[*].page_id'),
    (SELECT jsonb_agg(fixture.page(n)) FROM unnest('{5,11,12,13,14,15,16,17,18,19}'::integer[]) AS n),
    'the first 10 are in the snapshot');

SELECT * FROM finish();
ROLLBACK;
