BEGIN;
SELECT plan(7);
CALL fixture.world();

CREATE FUNCTION pg_temp.describe(p_course text, p_workspace text DEFAULT 'main') RETURNS jsonb LANGUAGE sql AS $$
    SELECT jobs._describe_course_tagging(jsonb_build_object(
        'workspace', fixture.id(p_workspace), 'request', fixture.tagging('{New}', p_course) - 'kind'));
$$;
SELECT is(pg_temp.describe('course'), '{"labels": {"course_title": "Course"}, "total": 3}', 'title and size of the course');
SELECT is(pg_temp.describe('empty'), '{"labels": {"course_title": "Empty"}, "total": 0}', 'A6: an empty course is one');
SELECT is(
    pg_temp.describe(v.course, v.place),
    '{"outcome": "invalid", "detail": {"errors": [
        {"pointer": "/course_id", "message": "there is no such course in this workspace"}]}}', v.claim)
FROM (VALUES
    ('nowhere', 'main', 'a course that does not exist'),
    ('foreign', 'main', 'a course of another workspace'),
    ('course', 'other', 'seen from there')) AS v (course, place, claim);

UPDATE jobs_store.setting AS s SET value = 3 WHERE s.name = 'MaxCoursePages';
SELECT ok(pg_temp.describe('course') ? 'labels', 'A6: a course of as many pages as the limit');
UPDATE jobs_store.setting AS s SET value = 2 WHERE s.name = 'MaxCoursePages';
SELECT is(
    pg_temp.describe('course'),
    '{"outcome": "course_too_large", "detail": {"limit": "MaxCoursePages", "value": 2}}', 'A6: one more page');

SELECT * FROM finish();
ROLLBACK;
