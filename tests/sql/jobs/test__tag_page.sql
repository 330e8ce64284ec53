BEGIN;
SELECT plan(14);
CALL fixture.world();

CREATE FUNCTION pg_temp.tag(p_number integer, p_tags text[]) RETURNS text LANGUAGE sql AS $$
    SELECT jobs._tag_page(fixture.page(p_number), p_tags, hub._lower_tags(p_tags));
$$;
UPDATE hub_store.page AS p SET tags = '{a b,É,"q\"uote","back\\slash","{brace}","NULL"}' WHERE p.id = fixture.page(1);
CREATE TEMPORARY TABLE was ON COMMIT DROP AS SELECT * FROM hub_store.page AS p WHERE p.id = fixture.page(1);

SELECT is(pg_temp.tag(1, '{é,A B}'), 'skipped', 'E2: a page with all the tags is skipped, in whichever case');
SELECT is(pg_temp.tag(1, ARRAY['Q"UOTE', 'Back\Slash', '{Brace}', 'null']), 'skipped', 'E2: odd characters too');
SELECT results_eq(
    $$SELECT p.tags, p.etag, p.updated_at, p.ctid FROM hub_store.page AS p WHERE p.id = fixture.page(1)$$,
    $$SELECT w.tags, w.etag, w.updated_at, p.ctid FROM was AS w JOIN hub_store.page AS p ON p.id = w.id$$,
    'E2: nothing of it changes');
SELECT is(pg_temp.tag(1, '{New,é,Ünï 🙂}'), 'changed', 'E2: a page without one of the tags is changed');
SELECT results_eq(
    $$SELECT p.tags, p.etag <> w.etag, p.updated_at > w.updated_at, p.title = w.title, p.content = w.content,
        p.position = w.position
      FROM hub_store.page AS p JOIN was AS w ON w.id = p.id$$,
    $$SELECT w.tags || '{New,Ünï 🙂}', true, true, true, true, true FROM was AS w$$,
    'E2: it gets what it had not, in the order asked for, another etag and time, and nothing else');
SELECT is(pg_temp.tag(1, '{New,é,Ünï 🙂}'), 'skipped', 'E3: the second time it is skipped');
SELECT is(fixture.tags(2), '{}', 'another page is not touched');
SELECT is(pg_temp.tag(999, '{New}'), 'page_missing', 'a page that is not there');

UPDATE hub_store.page AS p SET tags = ARRAY(SELECT 't' || n FROM generate_series(1, 199) AS n)
    WHERE p.id = fixture.page(2);
CREATE TEMPORARY TABLE full_page ON COMMIT DROP AS SELECT * FROM hub_store.page AS p WHERE p.id = fixture.page(2);
SELECT is(pg_temp.tag(2, '{new,newer}'), 'tags_full', 'a page that would have 201 tags');
SELECT results_eq(
    $$SELECT p.tags, p.etag, p.updated_at FROM hub_store.page AS p WHERE p.id = fixture.page(2)$$,
    $$SELECT f.tags, f.etag, f.updated_at FROM full_page AS f$$, 'stays as it is');
SELECT is(pg_temp.tag(2, '{new,T7}'), 'changed', 'a page may have 200 tags');
SELECT is(pg_temp.tag(2, '{new,T7}'), 'skipped', 'one that is full and has them all is skipped');
SELECT is(pg_temp.tag(2, '{newer}'), 'tags_full', 'and takes no more');

-- A trigger that swallows the change: the page must not be counted as changed.
CREATE FUNCTION pg_temp.swallow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RETURN NULL;
END;
$$;
CREATE TRIGGER swallow BEFORE UPDATE ON hub_store.page FOR EACH ROW EXECUTE FUNCTION pg_temp.swallow();
SELECT is(pg_temp.tag(3, '{New}'), 'page_rejected', 'E2: a page that could not be written is not called changed');

SELECT * FROM finish();
ROLLBACK;
