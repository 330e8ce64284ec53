BEGIN;
SELECT plan(6);
CALL fixture.world();
CALL fixture.grow(250);

CREATE FUNCTION pg_temp.tag(p_tag text, p_from integer, p_to integer, p_seconds integer DEFAULT 60)
RETURNS integer LANGUAGE sql AS $$
    SELECT jobs._tag_pages(
        ARRAY(SELECT fixture.page(n) FROM generate_series(p_from, p_to) AS n), ARRAY[p_tag], ARRAY[lower(p_tag)],
        fixture.id('ada'), fixture.id('main'), clock_timestamp() + make_interval(secs => p_seconds));
$$;
CREATE FUNCTION pg_temp.tagged(p_tag text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', min(p.position), max(p.position), count(*)) FROM hub_store.page AS p WHERE p_tag = ANY (p.tags);
$$;

SELECT is(concat_ws(': ', pg_temp.tag('All', 1, 250), pg_temp.tagged('All')), '250: 1 250 250', 'all pages in good time');
SELECT is(pg_temp.tag('None', 1, 0), 0, 'of no page none');
SELECT is(pg_temp.tag('Late', 1, 250, 0), 0, 'without time none');

UPDATE hub_store.page AS p SET tags = '{mixed}' WHERE p.id = fixture.page(150);
SELECT results_eq(
    $$SELECT t.tagged BETWEEN 10 AND 149, pg_temp.tagged('Mixed') = concat_ws(' ', 1, t.tagged, t.tagged)
      FROM (SELECT pg_temp.tag('Mixed', 1, 250) AS tagged) AS t$$,
    'VALUES (true, true)', 'those before the block of a page that is to be decided about');

-- Each page takes five milliseconds: a block of a hundred would take half a second.
CREATE FUNCTION pg_temp.dawdle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_sleep(0.005);
    RETURN new;
END;
$$;
CREATE TRIGGER dawdle BEFORE UPDATE ON hub_store.page FOR EACH ROW EXECUTE FUNCTION pg_temp.dawdle();
CREATE TEMPORARY TABLE slow ON COMMIT DROP AS
    SELECT clock_timestamp() AS begun, jobs._tag_pages(
        ARRAY(SELECT fixture.page(n) FROM generate_series(1, 250) AS n), '{Slow}', '{slow}',
        fixture.id('ada'), fixture.id('main'), clock_timestamp() + interval '200 milliseconds') AS tagged;
SELECT ok(s.tagged BETWEEN 10 AND 60, 'as many as fit in the time: ' || s.tagged) FROM slow AS s;
SELECT is(pg_temp.tagged('Slow'), concat_ws(' ', 1, s.tagged, s.tagged), 'and no page beside them') FROM slow AS s;

SELECT * FROM finish();
ROLLBACK;
