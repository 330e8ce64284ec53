BEGIN;
SELECT plan(15);
CALL fixture.world();
CALL fixture.grow(6);

CREATE FUNCTION pg_temp.tag(p_numbers integer[], p_tags text[], p_deadline timestamptz DEFAULT 'infinity')
RETURNS boolean LANGUAGE sql AS $$
    SELECT jobs._tag_block(
        ARRAY(SELECT fixture.page(n) FROM unnest(p_numbers) AS n), p_tags, hub._lower_tags(p_tags),
        fixture.id('ada'), fixture.id('main'), p_deadline);
$$;
CREATE FUNCTION pg_temp.pages() RETURNS SETOF text LANGUAGE sql AS $$
    SELECT concat_ws(' ', p.position, p.tags, p.etag, p.updated_at, p.title, md5(p.content))
    FROM hub_store.page AS p WHERE p.course_id = fixture.id('course') ORDER BY p.position;
$$;
CREATE TEMPORARY TABLE was ON COMMIT DROP AS SELECT * FROM hub_store.page;

SELECT is(pg_temp.tag('{1,2,4}', '{New,Ünï 🙂}'), true, 'E2: pages without any of the tags are tagged');
SELECT results_eq(
    $$SELECT p.position, p.tags, p.etag <> w.etag, p.updated_at > w.updated_at, p.title = w.title,
        p.content = w.content
      FROM hub_store.page AS p JOIN was AS w ON w.id = p.id
      WHERE p.tags <> '{}' ORDER BY p.position$$,
    $$SELECT n, '{New,Ünï 🙂}'::text[], true, true, true, true FROM unnest('{1,2,4}'::integer[]) AS n$$,
    'E2: they get the tags, another etag and time, and nothing else; other pages are not touched');
SELECT is(count(DISTINCT p.etag), 6::bigint, 'each its own etag')
FROM hub_store.page AS p WHERE p.course_id = fixture.id('course');

CREATE TEMPORARY TABLE before (line text) ON COMMIT DROP;
INSERT INTO before SELECT pg_temp.pages();
SELECT is(pg_temp.tag('{3,4,5}', '{ünï 🙂,Other}'), false, 'not when one of them has one of the tags, in whichever case');
SELECT is(pg_temp.tag('{3,999}', '{Other}'), false, 'nor when one is gone');
SELECT is(pg_temp.tag('{3,5}', '{Other}', clock_timestamp()), false, 'nor when the time is over');
SELECT results_eq('SELECT pg_temp.pages()', 'SELECT b.line FROM before AS b', 'and then none of them is');

UPDATE hub_store.page AS p SET tags = ARRAY(SELECT 't' || n FROM generate_series(1, 199) AS n)
    WHERE p.id = fixture.page(6);
SELECT is(pg_temp.tag('{5,6}', '{a,b}'), false, 'nor when one would have 201 tags');
SELECT is(fixture.tags(5), '{}', 'and then the other stays as it is');
SELECT is(pg_temp.tag('{5,6}', '{a}'), true, 'a page may have 200 tags');

UPDATE hub_store.membership AS m SET enabled = false WHERE m.user_id = fixture.id('ada');
SELECT is(pg_temp.tag('{3}', '{Other}'), false, 'E1: nor when the right is lost');
UPDATE hub_store.membership AS m SET enabled = true WHERE m.user_id = fixture.id('ada');

-- While page 2 is written the right is lost, as if somebody else had just committed that.
CREATE FUNCTION pg_temp.meddle() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    CASE new.title
        WHEN 'Page 2' THEN UPDATE hub_store.membership AS m SET enabled = false WHERE m.user_id = fixture.id('ada');
        WHEN 'Page 5' THEN RAISE EXCEPTION 'refused';
        WHEN 'Page 6' THEN RETURN NULL;
        ELSE NULL;
    END CASE;
    RETURN new;
END;
$$;
CREATE TRIGGER meddle BEFORE UPDATE ON hub_store.page FOR EACH ROW EXECUTE FUNCTION pg_temp.meddle();
SELECT is(pg_temp.tag('{1,2,3}', '{Later}'), false, 'E1: nor when it is lost before the last of them');
SELECT is(fixture.tags(1) || fixture.tags(2), '{New,Ünï 🙂,New,Ünï 🙂}', 'and then none is');
SELECT is(pg_temp.tag('{3,5}', '{Later}'), false, 'nor when the database refuses one');
SELECT is(pg_temp.tag('{3,6}', '{Later}'), false, 'nor when a trigger swallows one');

SELECT * FROM finish();
ROLLBACK;
