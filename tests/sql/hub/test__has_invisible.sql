BEGIN;
SELECT plan(16);

SELECT ok(NOT hub._has_invisible(v.text), v.text)
FROM (VALUES ('Änne O''Brien-Müller'), ('Łukasz 🙂'), ('山田 太郎'), ('محمد'), (U&'Zoe\0308'), ('a b')) AS v (text);
SELECT ok(hub._has_invisible('a' || chr(c.code) || 'b'), to_hex(c.code))
FROM unnest('{1,10,133,173,8203,8238,8233,65279,917569,10240}'::integer[]) AS c (code);

SELECT * FROM finish();
ROLLBACK;
