BEGIN;
SELECT plan(28);

SELECT is(n.tag || '|' || coalesce(n.problem, ''), v.kept || '|', v.claim)
FROM (VALUES
    ('tag', 'tag', 'a plain tag stays'),
    ('  a  b ', 'a b', 'it is trimmed and inner white space becomes one space'),
    (E'\u0065\u0301', 'é', 'it is composed (NFC)'),
    (E'\uFB01', 'ﬁ', 'but not by compatibility (NFKC)'),
    (E'\u1100\u1161\u11A8', '각', 'jamo are composed'),
    (E'\u212B', 'Å', 'singletons are replaced'),
    (E'a\u200Bb', E'a\u200Bb', 'a zero width space is no white space'),
    (E'\uFEFFa', E'\uFEFFa', 'nor is a byte order mark'),
    (E'a\u180Eb', E'a\u180Eb', 'nor a Mongolian vowel separator'),
    (E'a\u2060b', E'a\u2060b', 'nor a word joiner'),
    ('İstanbul', 'İstanbul', 'case stays as it is written'),
    ('🙂🙂', '🙂🙂', 'characters of higher planes stay'),
    ('x/y;z:"q"''', 'x/y;z:"q"''', 'other punctuation stays'),
    (repeat('🙂', 64), repeat('🙂', 64), 'it may have 64 code points'),
    ('   ' || repeat('x', 64) || '   ', repeat('x', 64), 'counted after trimming'),
    (repeat(E'e\u0301', 64), repeat('é', 64), 'and after composing'),
    (repeat('a  ', 32), btrim(repeat('a ', 32)), 'and after collapsing')) AS v (given, kept, claim)
CROSS JOIN LATERAL hub._normalise_tag(v.given) AS n;

SELECT is(n.problem || coalesce('|' || n.tag, ''), v.problem, v.claim)
FROM (VALUES
    (NULL, 'a tag is a string', 'NULL is none'),
    ('', 'a tag has 1 to 64 characters', 'an empty text is none'),
    (E' \t\u3000', 'a tag has 1 to 64 characters', 'nor is white space alone'),
    (repeat('x', 65), 'a tag has 1 to 64 characters', '65 code points are too many'),
    (repeat('🙂', 65), 'a tag has 1 to 64 characters', 'of any plane'),
    (repeat(E'x\u0323\u0301', 22), 'a tag has 1 to 64 characters', 'marks that do not compose count'),
    ('a,b', 'a tag has no commas', 'a comma is refused'),
    (',', 'a tag has no commas', 'a comma alone too')) AS v (given, problem, claim)
CROSS JOIN LATERAL hub._normalise_tag(v.given) AS n;

SELECT is(
    array_agg(upper(to_hex(c.point)) ORDER BY c.point),
    ARRAY['9', 'A', 'B', 'C', 'D', '20', '85', 'A0', '1680', '2000', '2001', '2002', '2003', '2004', '2005',
          '2006', '2007', '2008', '2009', '200A', '2028', '2029', '202F', '205F', '3000'],
    'white space is exactly these code points, of the first planes')
FROM (SELECT generate_series(1, 70000) AS point) AS c
WHERE c.point NOT BETWEEN 55296 AND 57343
    AND (hub._normalise_tag('a' || chr(c.point) || 'b')).tag = 'a b';

SELECT is(
    array_agg(upper(to_hex(c.point)) ORDER BY c.point),
    (SELECT array_agg(upper(to_hex(p.point)) ORDER BY p.point)
     FROM (SELECT generate_series(1, 8) UNION ALL SELECT generate_series(14, 31)
           UNION ALL SELECT generate_series(127, 132) UNION ALL SELECT generate_series(134, 159))
          AS p (point)),
    'control characters are exactly Cc without the white space among them')
FROM (SELECT generate_series(1, 70000) AS point) AS c
WHERE c.point NOT BETWEEN 55296 AND 57343
    AND (hub._normalise_tag('a' || chr(c.point) || 'b')).problem = 'a tag has no control characters';

SELECT is(
    count(*) FILTER (WHERE (hub._normalise_tag(n.tag)).tag IS DISTINCT FROM n.tag), 0::bigint,
    'what is kept stays when it is normalised again')
FROM (SELECT generate_series(1, 70000) AS point) AS c
CROSS JOIN LATERAL hub._normalise_tag(' ' || chr(c.point) || E'\u0301 \u0323x') AS n
WHERE c.point NOT BETWEEN 55296 AND 57343 AND n.tag IS NOT NULL;

SELECT * FROM finish();
ROLLBACK;
