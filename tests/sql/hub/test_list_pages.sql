BEGIN;
SELECT plan(34);

-- Everybody's id is the md5 of the name, everybody's session the sha256; "lapsed" is a disabled member of
-- "Here", "stranger" a member of "There" only, and "gone" a disabled user.
INSERT INTO hub_store.app_user (id, email, name, password_hash, enabled)
SELECT md5(n.name)::uuid, n.name || '@example.org', initcap(n.name), 'hash of ' || n.name, n.name <> 'gone'
FROM unnest(ARRAY['administrator', 'editor', 'reader', 'lapsed', 'stranger', 'gone']) AS n (name);
INSERT INTO hub_store.session (token_hash, user_id)
SELECT sha256(n.name::bytea), md5(n.name)::uuid
FROM unnest(ARRAY['administrator', 'editor', 'reader', 'lapsed', 'stranger', 'gone']) AS n (name);
INSERT INTO hub_store.workspace (id, title) VALUES (md5('Here')::uuid, 'Here'), (md5('There')::uuid, 'There');
INSERT INTO hub_store.membership (workspace_id, user_id, role, enabled)
SELECT md5(m.place)::uuid, md5(m.name)::uuid, m.role, m.enabled
FROM (VALUES
    ('Here', 'administrator', 'administrator', true),
    ('Here', 'editor', 'editor', true),
    ('Here', 'reader', 'reader', true),
    ('Here', 'lapsed', 'administrator', false),
    ('Here', 'gone', 'administrator', true),
    ('There', 'stranger', 'administrator', true)) AS m (place, name, role, enabled);

INSERT INTO hub_store.course (id, workspace_id, position, title) VALUES
    (md5('Late')::uuid, md5('Here')::uuid, 20, 'Late'),
    (md5('Early')::uuid, md5('Here')::uuid, 3, 'Early'),
    (md5('Empty')::uuid, md5('Here')::uuid, 4, 'Empty'),
    (md5('Foreign')::uuid, md5('There')::uuid, 1, 'Foreign');
INSERT INTO hub_store.page (id, course_id, position, title, content, tags, etag, updated_at)
SELECT md5(v.title)::uuid, md5(v.course)::uuid, v.position, v.title, 'not shown', v.tags, md5('etag')::uuid,
       '2026-01-02 03:04:05+00'
FROM (VALUES
    ('Late', 1, 'L1', '{}'::text[]), ('Late', 10, 'L10 Ärger', '{Über uns,b}'), ('Late', 2, 'L2', '{über}'),
    ('Early', 5, 'E5 ärger', '{b}'), ('Early', 7, 'E7 100%_', '{"ÜBER UNS"}'),
    ('Foreign', 1, 'F1', '{b}')) AS v (course, position, title, tags);

SELECT is(
    (l.body::jsonb) -> 'pages' -> 0,
    jsonb_build_object(
        'id', md5('E5 ärger')::uuid, 'course_id', md5('Early')::uuid, 'title', 'E5 ärger',
        'tags', '["b"]'::jsonb,
        'etag', md5('etag')::uuid, 'updated_at', '2026-01-02T03:04:05.000000Z'),
    'a page is told without its content')
FROM hub.list_pages(sha256('reader'), md5('Here')::uuid, NULL, NULL, NULL, NULL, 50) AS l;

SELECT is(
    jsonb_build_array(
        l.outcome, l.detail,
        (SELECT string_agg(p.value ->> 'title', ', ')
        FROM jsonb_array_elements(l.body::jsonb -> 'pages') AS p),
        l.body::jsonb -> 'next_cursor'),
    jsonb_build_array('ok', NULL, v.titles, v.next_cursor),
    v.claim)
FROM (VALUES
    (NULL, NULL, NULL, NULL, 50, 'E5 ärger, E7 100%_, L1, L2, L10 Ärger', NULL,
    'all pages by course and position'),
    (NULL, NULL, NULL, NULL, 5, 'E5 ärger, E7 100%_, L1, L2, L10 Ärger', NULL,
    'no cursor when just all are shown'),
    (NULL, NULL, NULL, NULL, 3, 'E5 ärger, E7 100%_, L1', '20.1', 'a cursor when there are more'),
    (NULL, NULL, NULL, '20.1', 3, 'L2, L10 Ärger', NULL, 'it goes on after that page'),
    (NULL, NULL, NULL, NULL, 1, 'E5 ärger', '3.5', 'a page at a time'),
    (NULL, NULL, NULL, '3.5', 1, 'E7 100%_', '3.7', 'the second'),
    (NULL, NULL, NULL, '3.7', 1, 'L1', '20.1', 'over the end of a course'),
    (NULL, NULL, NULL, '3.6', 1, 'E7 100%_', '3.7', 'from a page that is gone'),
    (NULL, NULL, NULL, '12.3', 50, 'L1, L2, L10 Ärger', NULL, 'from a course that is gone'),
    (NULL, NULL, NULL, '20.10', 50, NULL, NULL, 'from the last page'),
    (NULL, NULL, NULL, '9999999999.1', 50, NULL, NULL, 'from beyond all'),
    ('Late', NULL, NULL, NULL, 50, 'L1, L2, L10 Ärger', NULL, 'one course'),
    ('Late', NULL, NULL, NULL, 2, 'L1, L2', '20.2', 'a part of one course'),
    ('Late', NULL, NULL, '20.2', 2, 'L10 Ärger', NULL, 'and its rest'),
    ('Empty', NULL, NULL, NULL, 50, NULL, NULL, 'an empty course'),
    (NULL, 'b', NULL, NULL, 50, 'E5 ärger, L10 Ärger', NULL, 'pages with a tag'),
    (NULL, E' u\u0308BER  uns', NULL, NULL, 50, 'E7 100%_, L10 Ärger', NULL, 'in any case and spelling'),
    (NULL, 'uns', NULL, NULL, 50, NULL, NULL, 'but the whole tag'),
    (NULL, NULL, 'ÄRG', NULL, 50, 'E5 ärger, L10 Ärger', NULL, 'a part of the title in any case'),
    (NULL, NULL, '0%_', NULL, 50, 'E7 100%_', NULL, 'without wildcards'),
    (NULL, NULL, '', NULL, 50, 'E5 ärger, E7 100%_, L1, L2, L10 Ärger', NULL, 'an empty part is in all'),
    ('Late', 'b', 'rger', '3.5', 50, 'L10 Ärger', NULL, 'all filters at once'),
    (NULL, NULL, 'rger', NULL, 1, 'E5 ärger', '3.5', 'a part of what a filter leaves'),
    (NULL, NULL, 'rger', '3.5', 1, 'L10 Ärger', NULL, 'and its rest'))
    AS v (course, tag, q, cursor, page_limit, titles, next_cursor, claim)
CROSS JOIN LATERAL hub.list_pages(
    sha256('reader'), md5('Here')::uuid, md5(v.course)::uuid, v.tag, v.q, v.cursor, v.page_limit) AS l;

SELECT is(
    concat_ws(' ', l.outcome, l.body, l.detail),
    'invalid {"errors": [{"message": "take the cursor from the last answer", "pointer": "/cursor"}, '
    '{"message": "a tag has no commas", "pointer": "/tag"}]}',
    'wrong arguments are named')
FROM hub.list_pages(sha256('reader'), md5('Here')::uuid, NULL, 'a,b', NULL, 'x', 501) AS l;
SELECT is(
    concat_ws(' ', l.outcome, l.detail, l.body), 'not_found', v.course || ' is no course of this workspace')
FROM (VALUES ('Foreign'), ('nothing')) AS v (course)
CROSS JOIN LATERAL hub.list_pages(
    sha256('reader'), md5('Here')::uuid, md5(v.course)::uuid, NULL, NULL, NULL, 50) AS l;

SELECT is(
    concat_ws(' ', f.outcome, f.detail, f.body), v.expected, v.who || ' in ' || v.place || ': ' || v.expected)
FROM (VALUES
    ('nobody', 'Here', 'unauthenticated'),
    ('gone', 'Here', 'unauthenticated'),
    ('stranger', 'Here', 'not_found'),
    ('administrator', 'There', 'not_found'),
    ('administrator', 'nowhere', 'not_found'),
    ('lapsed', 'Here', 'not_member')) AS v (who, place, expected)
CROSS JOIN LATERAL hub.list_pages(sha256(v.who::bytea), md5(v.place)::uuid, NULL, NULL, NULL, NULL, 0) AS f;

SELECT * FROM finish();
ROLLBACK;
