BEGIN;
SELECT plan(9);
CALL fixture.world();
CALL fixture.grow(6);
CALL fixture.queue('job');

-- Whom it is asked for, which pages, and how it ended: changed+skipped+failed, why it stopped.
CREATE FUNCTION pg_temp.tag(
    p_numbers integer[],
    p_locked_since timestamptz DEFAULT NULL,
    p_deadline timestamptz DEFAULT 'infinity'
)
RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws('+', t.changed, t.skipped, t.failed) || coalesce(' ' || t.stopped, '')
        || CASE WHEN t.locked_since IS NOT NULL THEN ' since' ELSE '' END
    FROM jobs._tag_one_by_one(
        fixture.job('job'), ARRAY(SELECT fixture.page(n) FROM unnest(p_numbers) AS n), '{New}', '{new}',
        fixture.id('ada'), fixture.id('main'), p_locked_since, p_deadline) AS t;
$$;

SELECT is(pg_temp.tag('{}'), '0+0+0', 'of no page none');
SELECT is(pg_temp.tag('{1,2}'), '2+0+0', 'pages are tagged');
SELECT is(pg_temp.tag('{1,3,999}'), '1+1+1', 'each by itself: one has the tag, one is gone');
SELECT is(pg_temp.tag('{4,5}', NULL, clock_timestamp()), '1+0+0', 'without time the first one');
SELECT is(pg_temp.tag('{5}', clock_timestamp()), '1+0+0', 'a page that is no longer locked is forgotten to have been');

-- A page that is refused: those before it, then it.
CREATE FUNCTION pg_temp.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF new.title = 'Page 6' THEN
        RAISE EXCEPTION 'refused';
    END IF;
    RETURN new;
END;
$$;
CREATE TRIGGER refuse BEFORE UPDATE ON hub_store.page FOR EACH ROW EXECUTE FUNCTION pg_temp.refuse();
UPDATE hub_store.page AS p SET tags = '{}' WHERE p.title <> 'Page 6';
SELECT is(pg_temp.tag('{1,2,6,3}'), '2+0+0', 'the pages before one that is refused are tagged');
SELECT is(pg_temp.tag('{6,3}'), '0+0+1', 'which is then a failure, and the step is over');
SELECT results_eq(
    $$SELECT e.page_id, e.code FROM jobs_store.page_error AS e WHERE e.job_id = fixture.job('job') ORDER BY e.page_id$$,
    $$VALUES (fixture.page(6), 'page_rejected'), (fixture.page(999), 'page_missing')$$, 'failures are kept');

UPDATE hub_store.membership AS m SET enabled = false WHERE m.user_id = fixture.id('ada');
SELECT is(pg_temp.tag('{4}'), '0+0+0 not_authorised', 'E1: nothing for an actor who lost the right');

SELECT * FROM finish();
ROLLBACK;
