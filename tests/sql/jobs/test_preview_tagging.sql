BEGIN;
SELECT plan(25);
CALL fixture.world();

CREATE FUNCTION pg_temp.preview(
    p_body jsonb, p_who text DEFAULT 'ada', p_course text DEFAULT 'course', p_workspace text DEFAULT 'main'
)
RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', p.outcome, p.detail, p.body)
    FROM jobs.preview_tagging(fixture.session(p_who), fixture.id(p_workspace), fixture.id(p_course), p_body) AS p;
$$;
UPDATE hub_store.page AS p SET tags = '{old plan,été,Other}' WHERE p.id = fixture.page(1);
UPDATE hub_store.page AS p SET tags = '{Old Plan}' WHERE p.id = fixture.page(2);
CALL fixture.remember();
SELECT is(
    pg_temp.preview('{"tags": ["OLD  plan", "E\u0301té"]}'), 'ok {"total": 3, "have_all": 1, "would_change": 2}',
    'what a tagging would change, by the rules of tagging');
SELECT is(pg_temp.preview('{"tags": ["x"]}'), 'ok {"total": 3, "have_all": 0, "would_change": 3}', 'all');
SELECT is(
    pg_temp.preview('{"tags": ["x"]}', 'ada', 'empty'), 'ok {"total": 0, "have_all": 0, "would_change": 0}',
        'an empty course');
SELECT is(
    jsonb_path_query_array(p.detail, '$.errors[*].pointer'), v.pointers, 'the shape is wrong: ' || v.claim)
FROM (VALUES
    (NULL::jsonb, '[""]'::jsonb, 'no body'), ('[]', '[""]', 'an array'), ('null', '[""]', 'null'),
    ('{}', '["/tags"]', 'no member tags'), ('{"tags": []}', '["/tags"]', 'no tags'),
    ('{"tags": ["a", 1]}', '["/tags/1"]', 'a number'), ('{"tags": ["a"], "x": 1}', '["/x"]', 'an unknown member'),
    ('{"tags": ["a"], "course_id": 1}', '["/course_id"]', 'a course, which is in the path')) AS v (body, pointers,
        claim),
    LATERAL jobs.preview_tagging(fixture.session('ada'), fixture.id('main'), fixture.id('course'), v.body) AS p;
SELECT is(pg_temp.preview('{"tags": ["x"]}', v.who, v.course, v.place), v.expected, v.claim)
FROM (VALUES
    ('editor', 'course', 'main', 'not_administrator', 'not for an editor'),
    ('reader', 'course', 'main', 'not_administrator', 'not for a reader'),
    ('lapsed', 'course', 'main', 'not_administrator', 'not for a disabled member'),
    ('stranger', 'course', 'main', 'not_found', 'a workspace of others is not there'),
    ('ada', 'foreign', 'main', 'not_found', 'nor is a course of another workspace'),
    ('ada', 'nowhere', 'main', 'not_found', 'nor one that does not exist'),
    ('nobody', 'course', 'main', 'unauthenticated', 'without a session')) AS v (who, course, place, expected, claim);
SELECT is(pg_temp.preview('[]', 'editor'), 'not_administrator', 'the right is judged before the shape');
SELECT ok(fixture.unchanged(), 'a preview changes nothing');
CALL fixture.start('job', fixture.tagging('{OLD plan,Été}'));
SELECT is(fixture.advance(), 'ended', 'a tagging with these tags');
SELECT is(fixture.progress(), '3/3 2+1+0', 'does what the preview said');
SELECT is(
    pg_temp.preview('{"tags": ["OLD  plan", "E\u0301té"]}'), 'ok {"total": 3, "have_all": 3, "would_change": 0}',
    'and leaves nothing to do');
UPDATE hub_store.page AS p SET tags = ARRAY(SELECT 't' || n FROM generate_series(1, 199) AS n)
    WHERE p.id = fixture.page(1);
SELECT is(
    pg_temp.preview('{"tags": ["new", "newer"]}'), 'ok {"total": 3, "have_all": 0, "would_change": 2}',
    'a page without room for the tags would not change');
SELECT is(
    pg_temp.preview('{"tags": ["new", "T7"]}'), 'ok {"total": 3, "have_all": 0, "would_change": 3}',
    'one with room for those it lacks would');

SELECT * FROM finish();
ROLLBACK;
