-- The forms by which tags are compared: two tags are the same iff their lower() forms are. The array is
-- lowered as one text, which is much faster than element by element, and safe: lower() touches neither
-- the quotes and backslashes of an array's text nor its separators, and a tag 'NULL' is quoted in it.
-- Raises: nothing.
-- Locks: none.
-- Callers: functions that compare tags.
-- Plain SQL, inlined into its callers' queries, so it pins no search_path; every name in it is full.
CREATE OR REPLACE FUNCTION hub._lower_tags(p_tags text[])
RETURNS text[]
LANGUAGE sql
STABLE
AS $$
    SELECT pg_catalog.lower(p_tags::pg_catalog.text)::pg_catalog.text[];
$$;

COMMENT ON FUNCTION hub._lower_tags(text[]) IS 'The forms by which tags are compared.';
