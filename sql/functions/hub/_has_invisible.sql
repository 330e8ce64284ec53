-- Whether a text has characters that no reader sees or that change how others are shown: control characters,
-- line separators, and format characters such as zero-width ones and bidirectional overrides. Named by code
-- point, for character classes differ between versions of PostgreSQL and between locales.
-- Raises: nothing.
-- Locks: none.
-- Callers: hub.add_user.
CREATE OR REPLACE FUNCTION hub._has_invisible(p_text text)
RETURNS boolean
LANGUAGE plpgsql
IMMUTABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN p_text ~ ('[\u0001-\u001F\u007F-\u009F\u00AD\u034F\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2'
        '\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u2800\u3164\uFE00-\uFE0F\uFEFF'
        '\uFFA0\uFFF0-\uFFFB\U000110BD\U000110CD\U00013430-\U0001343F\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A'
        '\U000E0000-\U000E0FFF]');
END;
$$;

COMMENT ON FUNCTION hub._has_invisible(text) IS 'Whether a text has characters that no reader sees.';
