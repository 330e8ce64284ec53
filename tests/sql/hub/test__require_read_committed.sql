BEGIN;
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
SELECT plan(14);

SELECT throws_ok(
    f.call, 'KH500', 'this function works in a READ COMMITTED transaction only',
    f.call || ' is refused under REPEATABLE READ')
FROM (VALUES
    ('SELECT hub._require_read_committed()'),
    ('SELECT hub.open_session(NULL, NULL, NULL)'),
    ('SELECT hub.end_session(NULL)'),
    ('SELECT hub.touch_session(NULL)'),
    ('SELECT hub.edit_page(NULL, NULL, NULL, NULL, NULL)'),
    ('SELECT hub.delete_page(NULL, NULL, NULL, NULL)'),
    ('SELECT hub.add_user(NULL, NULL, NULL)'),
    ('SELECT hub.set_password(NULL, NULL)'),
    ('SELECT hub.set_user_enabled(NULL, NULL)'),
    ('SELECT hub.add_workspace(NULL)'),
    ('SELECT hub.set_membership(NULL, NULL, NULL, NULL)'),
    ('SELECT hub.add_course(NULL, NULL)'),
    ('SELECT hub.add_pages(NULL, NULL)'),
    ('SELECT hub.restore_pages(NULL, NULL)')) AS f (call);

SELECT * FROM finish();
ROLLBACK;
