BEGIN;
SELECT plan(34);

-- The functions that are called from outside, and by whom.
SELECT bag_eq(
    $$SELECT r.rolname || ' ' || n.nspname || '.' || p.proname || '(' || pg_get_function_identity_arguments(p.oid)
        || ')'
      FROM pg_proc AS p
      JOIN pg_namespace AS n ON n.oid = p.pronamespace
      CROSS JOIN LATERAL aclexplode(p.proacl) AS a
      JOIN pg_roles AS r ON r.oid = a.grantee
      WHERE n.nspname IN ('hub', 'jobs') AND a.grantee <> p.proowner$$,
    $$VALUES
        ('hub_api hub.charge_sign_in(p_email text, p_address text)'),
        ('hub_api hub.delete_page(p_session bytea, p_workspace uuid, p_page uuid, p_etag text)'),
        ('hub_api hub.describe_session(p_session bytea)'),
        ('hub_api hub.edit_page(p_session bytea, p_workspace uuid, p_page uuid, p_etag text, p_body jsonb)'),
        ('hub_api hub.end_session(p_session bytea)'),
        ('hub_api hub.find_credentials(p_email text)'),
        ('hub_api hub.list_courses(p_session bytea, p_workspace uuid)'),
        ('hub_api hub.list_pages(p_session bytea, p_workspace uuid, p_course uuid, p_tag text, p_q text, p_cursor text, '
            || 'p_limit integer)'),
        ('hub_api hub.list_workspaces(p_session bytea)'),
        ('hub_api hub.open_session(p_user uuid, p_verified_hash text, p_session bytea, p_new_hash text, '
            || 'p_address text)'),
        ('hub_api hub.read_page(p_session bytea, p_workspace uuid, p_page uuid)'),
        ('hub_api hub.refuse_sign_in(p_email text, p_address text)'),
        ('hub_api hub.touch_session(p_session bytea)'),
        ('hub_api jobs.cancel_job(p_session bytea, p_workspace uuid, p_job uuid, p_address inet)'),
        ('hub_api jobs.charge_request_budget(p_address text)'),
        ('hub_api jobs.create_job(p_session bytea, p_workspace uuid, p_key text, p_body jsonb, p_address inet)'),
        ('hub_api jobs.download_archive(p_session bytea, p_workspace uuid, p_job uuid, p_address inet)'),
        ('hub_api jobs.list_audit(p_session bytea, p_workspace uuid, p_cursor text, p_limit integer)'),
        ('hub_api jobs.list_backups(p_session bytea, p_workspace uuid, p_cursor text, p_limit integer)'),
        ('hub_api jobs.list_job_audit(p_session bytea, p_workspace uuid, p_job uuid, p_cursor text, p_limit integer)'),
        ('hub_api jobs.list_jobs(p_session bytea, p_workspace uuid, p_state text, p_kind text, p_cursor text, '
            || 'p_limit integer)'),
        ('hub_api jobs.list_missing_limits()'),
        ('hub_api jobs.list_page_errors(p_session bytea, p_workspace uuid, p_job uuid, p_cursor text, p_limit integer)'),
        ('hub_api jobs.preview_tagging(p_session bytea, p_workspace uuid, p_course uuid, p_body jsonb)'),
        ('hub_api jobs.read_job(p_session bytea, p_workspace uuid, p_job uuid)'),
        ('hub_api jobs.read_snapshots(p_sessions bytea[], p_jobs uuid[])'),
        ('hub_api jobs.schema_version()'),
        ('hub_operator hub.add_course(p_workspace uuid, p_title text)'),
        ('hub_operator hub.add_pages(p_course uuid, p_pages jsonb)'),
        ('hub_operator hub.add_user(p_email text, p_name text, p_password_hash text)'),
        ('hub_operator hub.add_workspace(p_title text)'),
        ('hub_operator hub.end_sessions(p_email text, p_session uuid)'),
        ('hub_operator hub.list_all_workspaces()'),
        ('hub_operator hub.restore_pages(p_course uuid, p_pages jsonb)'),
        ('hub_operator hub.list_sessions(p_email text)'),
        ('hub_operator hub.list_sign_in_refusals(p_cursor text, p_limit integer)'),
        ('hub_operator hub.set_membership(p_workspace uuid, p_email text, p_role text, p_enabled boolean)'),
        ('hub_operator hub.set_password(p_email text, p_password_hash text)'),
        ('hub_operator hub.set_user_enabled(p_email text, p_enabled boolean)'),
        ('hub_operator jobs.cancel_job_by_operator(p_job uuid)'),
        ('hub_operator jobs.delete_archive(p_job uuid)'),
        ('hub_operator jobs.list_hub_audit(p_cursor text, p_limit integer)'),
        ('hub_operator jobs.list_jobs_by_operator(p_workspace uuid, p_cursor text, p_limit integer)'),
        ('hub_operator jobs.list_settings()'),
        ('hub_operator jobs.set_setting(p_name text, p_value integer)'),
        ('hub_operator jobs.read_job_by_operator(p_job uuid)'),
        ('hub_worker jobs.advance(p_job uuid, p_lease uuid, p_page_limit integer, p_budget interval)'),
        ('hub_worker jobs.claim(p_worker text, p_kinds text[])'),
        ('hub_worker jobs.finish(p_job uuid, p_lease uuid, p_result jsonb, p_failure_code text)'),
        ('hub_worker jobs.judge_archives(p_names text[])'),
        ('hub_worker jobs.list_missing_limits()'),
        ('hub_worker jobs.list_sql_kinds()'),
        ('hub_worker jobs.open_consistent_read(p_job uuid, p_lease uuid)'),
        ('hub_worker jobs.read_courses(p_job uuid, p_lease uuid, p_after integer)'),
        ('hub_worker jobs.read_members(p_job uuid, p_lease uuid, p_after text)'),
        ('hub_worker jobs.read_pages(p_job uuid, p_lease uuid, p_course uuid, p_after integer)'),
        ('hub_worker jobs.read_worker_settings()'),
        ('hub_worker jobs.release(p_job uuid, p_lease uuid)'),
        ('hub_worker jobs.renew(p_job uuid, p_lease uuid)'),
        ('hub_worker jobs.save_progress(p_job uuid, p_lease uuid, p_version bigint, p_total integer, p_processed integer)'),
        ('hub_worker jobs.schema_version()'),
        ('hub_worker jobs.sweep(p_worker text)')$$,
    'each role may call exactly these functions');

CREATE TEMPORARY VIEW routine AS
SELECT p.*, n.nspname || '.' || p.proname AS name, l.lanname AS language
FROM pg_proc AS p
JOIN pg_namespace AS n ON n.oid = p.pronamespace
JOIN pg_language AS l ON l.oid = p.prolang
WHERE n.nspname IN ('hub', 'jobs');

SELECT is_empty(
    $$SELECT r.name FROM routine AS r WHERE r.proname NOT LIKE '\_%' AND cardinality(r.proacl) = 1$$,
    'a function that nobody may call is private by its name');
SELECT is_empty(
    $$SELECT r.name FROM routine AS r, aclexplode(r.proacl) AS a
        WHERE r.proname LIKE '\_%' AND a.grantee <> r.proowner$$,
    'a private function is granted to nobody');
SELECT is_empty(
    $$SELECT r.name FROM routine AS r
      WHERE r.proacl IS NULL OR EXISTS (SELECT FROM aclexplode(r.proacl) AS a WHERE a.grantee = 0 OR a.is_grantable)$$,
    'PUBLIC may call nothing, and nobody may pass a right on');
SELECT is_empty(
    $$SELECT r.name FROM routine AS r WHERE r.prokind <> 'f' OR r.proowner <> 'hub_owner'::regrole$$,
    'everything in these schemas is a function of hub_owner''s');
SELECT is_empty(
    $$SELECT r.name FROM routine AS r GROUP BY r.name HAVING count(*) > 1$$, 'no name has two functions');
SELECT is_empty(
    $$SELECT r.name, a.name
      FROM routine AS r,
           LATERAL unnest(r.proargnames,
               coalesce(r.proargmodes::text[], array_fill('i'::text, ARRAY[r.pronargs::integer])))
               AS a (name, mode)
      WHERE (a.mode IN ('i', 'b', 'v')) <> coalesce(a.name LIKE 'p\_%', false)
      UNION ALL
      SELECT r.name, 'without a name' FROM routine AS r WHERE r.pronargs > 0 AND r.proargnames IS NULL$$,
    'arguments begin with p_, and only they do');
SELECT is_empty(
    $$SELECT r.name FROM routine AS r WHERE r.language NOT IN ('plpgsql', 'sql')$$, 'they are in PL/pgSQL or SQL');

-- What a caller sets has no effect in them.
SELECT bag_eq(
    $$SELECT r.name FROM routine AS r
      WHERE NOT r.prosecdef OR 'search_path=pg_catalog, pg_temp' <> ALL (coalesce(r.proconfig, '{}'))$$,
    $$VALUES
        ('hub._describe_page'), ('hub._error'), ('hub._invalid'), ('hub._is_session_live'), ('hub._lower_tags'),
        ('hub._normalise_email'), ('hub._utc'), ('hub._uuid'), ('jobs._describe_backup'), ('jobs._failure'),
        ('jobs._is_page_fault'), ('jobs._page_error')$$,
    'all are SECURITY DEFINER with a pinned search_path, but these small ones');
SELECT is_empty(
    $$SELECT r.name FROM routine AS r
      WHERE NOT r.prosecdef
          AND (r.language <> 'sql' OR r.proconfig IS NOT NULL OR r.proname NOT LIKE '\_%' OR r.proretset)$$,
    'which are private plain SQL, inlined into functions that pin it');
SELECT is_empty(
    $$SELECT r.name FROM routine AS r
      WHERE r.name IN ('hub._access', 'hub._lock_access', 'hub._live_session', 'hub._is_administrator',
          'hub._lock_page', 'hub._sign_in_wait',
          'jobs._check_capacity', 'jobs._replay', 'jobs._setting', 'jobs._pick_queued', 'jobs._pick_fairly',
          'jobs._workspace_of', 'jobs._read_job', 'jobs._lock_archive')
          AND r.provolatile <> 'v'$$,
    'those that must see what was committed a moment ago are VOLATILE');
SELECT is_empty(
    $$SELECT r.name FROM routine AS r
      WHERE r.proname NOT LIKE '\_%' AND r.provolatile <> 'v' AND r.name <> 'jobs.schema_version'$$,
    'and so are those that are called from outside');

-- The shape of answers.
SELECT bag_eq(
    $$SELECT r.name, pg_get_function_result(r.oid)
      FROM routine AS r, aclexplode(r.proacl) AS a
      WHERE a.grantee IN ('hub_api'::regrole, 'hub_operator'::regrole)
          AND pg_get_function_result(r.oid) <> 'TABLE(outcome text, detail jsonb, body text)'$$,
    $$VALUES
        ('hub.find_credentials', 'TABLE(user_id uuid, password_hash text)'),
        ('hub.touch_session', 'void'),
        ('jobs.list_missing_limits', 'TABLE(setting text)'),
        ('jobs.read_snapshots', 'TABLE(job_id uuid, version bigint, terminal boolean, snapshot text, readers bytea[])'),
        ('jobs.schema_version', 'integer')$$,
    'what the API and the operator call answers with outcome, detail and body, but for these');
SELECT bag_eq(
    $$SELECT r.name, pg_get_function_result(r.oid)
      FROM routine AS r, aclexplode(r.proacl) AS a
      WHERE a.grantee = 'hub_worker'::regrole$$,
    $$VALUES
        ('jobs.advance', 'TABLE(outcome text, snapshot text)'),
        ('jobs.claim', 'TABLE(job_id uuid, lease uuid, kind text, lease_seconds integer, attempt integer)'),
        ('jobs.finish', 'TABLE(outcome text, snapshot text)'),
        ('jobs.judge_archives', 'TABLE(name text)'),
        ('jobs.list_missing_limits', 'TABLE(setting text)'),
        ('jobs.list_sql_kinds', 'TABLE(kind text)'),
        ('jobs.open_consistent_read',
            'TABLE(workspace_id uuid, workspace_title text, courses integer, pages integer, members integer)'),
        ('jobs.read_courses', 'TABLE(id uuid, "position" integer, title text)'),
        ('jobs.read_members', 'TABLE(email text, name text, role text, enabled boolean)'),
        ('jobs.read_pages',
            'TABLE(id uuid, "position" integer, title text, content text, tags text[], updated_at text)'),
        ('jobs.read_worker_settings', 'TABLE(concurrency integer)'),
        ('jobs.release', 'TABLE(outcome text, snapshot text)'),
        ('jobs.renew', 'TABLE(stop_requested boolean, version bigint)'),
        ('jobs.save_progress', 'TABLE(outcome text, version bigint, stop_requested boolean, snapshot text)'),
        ('jobs.schema_version', 'integer'),
        ('jobs.sweep', 'jsonb')$$,
    'and what the worker calls, with these');

-- Schemas and tables.
CREATE TEMPORARY VIEW relation AS
SELECT c.*, n.nspname || '.' || c.relname AS name
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname IN ('hub', 'hub_store', 'jobs', 'jobs_store');

SELECT bag_eq(
    $$SELECT n.nspname, n.nspowner::regrole::text,
             (SELECT string_agg(a.grantee::regrole || ' ' || a.privilege_type, ', ' ORDER BY a.grantee::regrole::text)
              FROM aclexplode(n.nspacl) AS a WHERE a.grantee <> n.nspowner)
      FROM pg_namespace AS n
      WHERE n.nspname IN ('hub', 'hub_store', 'jobs', 'jobs_store')$$,
    $$VALUES
        ('hub'::name, 'hub_owner', 'hub_api USAGE, hub_operator USAGE, hub_worker USAGE'),
        ('hub_store', 'hub_owner', NULL),
        ('jobs', 'hub_owner', 'hub_api USAGE, hub_operator USAGE, hub_worker USAGE'),
        ('jobs_store', 'hub_owner', NULL)$$,
    'a schema of functions may be used by the three roles, one of tables by nobody');
SELECT is_empty(
    $$SELECT r.name FROM relation AS r WHERE r.relkind NOT IN ('r', 'i', 'S') OR r.name !~ '_store[.]'$$,
    'tables, their indexes and sequences are in the schemas of tables, and nothing else');
SELECT is_empty(
    $$SELECT r.name FROM relation AS r WHERE r.relowner <> 'hub_owner'::regrole$$, 'they are hub_owner''s');
SELECT is_empty(
    $$SELECT o.rolname, r.name, p.privilege
      FROM pg_roles AS o,
           relation AS r,
           unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) AS p (privilege)
      WHERE r.relkind = 'r' AND o.rolname IN ('hub_api', 'hub_worker', 'hub_operator')
          AND (has_table_privilege(o.oid, r.oid, p.privilege)
              OR p.privilege IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES')
                  AND has_any_column_privilege(o.oid, r.oid, p.privilege))$$,
    'no role that logs in to work has any right on any table');
SELECT is_empty(
    $$SELECT r.name FROM relation AS r WHERE r.relkind = 'S' AND r.relacl IS NOT NULL$$, 'nor on a sequence');
SELECT is_empty(
    $$SELECT r.name FROM relation AS r, aclexplode(r.relacl) AS a WHERE a.grantee <> r.relowner$$,
    'nothing of a table is granted to anybody');

-- Everything is explained.
SELECT is_empty(
    $$SELECT n.nspname FROM pg_namespace AS n
      WHERE n.nspname IN ('hub', 'hub_store', 'jobs', 'jobs_store')
          AND coalesce(obj_description(n.oid, 'pg_namespace'), '') = ''$$, 'every schema has a comment');
SELECT is_empty(
    $$SELECT r.name FROM relation AS r WHERE r.relkind = 'r'
        AND coalesce(obj_description(r.oid, 'pg_class'), '') = ''$$,
    'every table has a comment');
SELECT is_empty(
    $$SELECT r.name FROM routine AS r WHERE coalesce(obj_description(r.oid, 'pg_proc'), '') = ''$$,
    'every function has a comment');

-- Keys, constraints, triggers.
SELECT is_empty(
    $$SELECT r.name FROM relation AS r
      WHERE r.relkind = 'r' AND NOT EXISTS (SELECT FROM pg_constraint AS c
          WHERE c.conrelid = r.oid AND c.contype = 'p')$$,
    'every table has a primary key');
SELECT is_empty(
    $$SELECT c.conname FROM pg_constraint AS c JOIN relation AS r ON r.oid = c.conrelid
      WHERE c.conname NOT LIKE replace(r.relname, '_', '\_') || '\_%'$$,
          'a constraint is named by its table and its claim');
SELECT is_empty(
    $$SELECT c.conname
      FROM pg_constraint AS c
      JOIN relation AS r ON r.oid = c.conrelid
      WHERE c.contype = 'f' AND NOT EXISTS (
          SELECT FROM pg_index AS i
          WHERE i.indrelid = c.conrelid AND i.indpred IS NULL AND i.indisvalid
              AND (i.indkey::smallint[])[0:cardinality(c.conkey) - 1] @> c.conkey)$$, 'every foreign key is indexed');
SELECT is_empty(
    $$SELECT d.classid::regclass, d.objid
      FROM pg_depend AS d
      JOIN routine AS r ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = r.oid
      WHERE d.classid IN ('pg_constraint'::regclass, 'pg_attrdef'::regclass, 'pg_class'::regclass,
          'pg_rewrite'::regclass)$$,
    'no CHECK, default or index calls our functions');
SELECT bag_eq(
    $$SELECT r.name, t.tgname, t.tgenabled::text, t.tgfoid::regproc::text
      FROM pg_trigger AS t JOIN relation AS r ON r.oid = t.tgrelid
      WHERE NOT t.tgisinternal$$,
    $$VALUES
        ('jobs_store.audit_event', 'audit_event_is_append_only'::name, 'A', 'jobs._refuse_change'),
        ('jobs_store.job', 'job_is_kept', 'A', 'jobs._refuse_change'),
        ('jobs_store.job', 'job_terminal_is_final', 'A', 'jobs._refuse_change')$$,
    'U1, T1: these triggers guard what must never change, for replication roles too');
SELECT is_empty(
    $$SELECT r.name, c.conname FROM relation AS r JOIN pg_constraint AS c ON c.conrelid = r.oid
      WHERE c.contype = 'f' AND (c.confdeltype <> 'a' OR c.confupdtype <> 'a')$$,
    'T1: no deletion takes anything else with it');

-- Roles.
SELECT bag_eq(
    $$SELECT r.rolname, r.rolcanlogin,
             r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication OR r.rolbypassrls,
             (SELECT string_agg(m.roleid::regrole::text, ',') FROM pg_auth_members AS m WHERE m.member = r.oid)
      FROM pg_roles AS r
      WHERE r.rolname IN ('hub_owner', 'hub_migrator', 'hub_api', 'hub_worker', 'hub_operator')$$,
    $$VALUES
        ('hub_api'::name, true, false, NULL), ('hub_migrator', true, false, 'hub_owner'),
        ('hub_operator', true, false, NULL), ('hub_owner', false, false, NULL), ('hub_worker', true, false, NULL)$$,
    'the owner does not log in, only the migrator may act as it, and none of them is privileged');
SELECT bag_eq(
    $$SELECT r.rolname, c.setting
      FROM pg_roles AS r
      JOIN pg_db_role_setting AS s ON s.setrole = r.oid AND s.setdatabase = 0,
      unnest(s.setconfig) AS c (setting)
      WHERE r.rolname LIKE 'hub\_%'$$,
    $$SELECT v.role::name, v.setting
      FROM (VALUES
        ('hub_api', 'TimeZone=UTC'), ('hub_api', 'idle_in_transaction_session_timeout=10s'),
            ('hub_api', 'lock_timeout=1s'),
        ('hub_api', 'statement_timeout=5s'),
        ('hub_operator', 'TimeZone=UTC'), ('hub_operator', 'idle_in_transaction_session_timeout=60s'),
        ('hub_operator', 'lock_timeout=1s'), ('hub_operator', 'statement_timeout=30s'),
        ('hub_worker', 'TimeZone=UTC'), ('hub_worker', 'idle_in_transaction_session_timeout=10s'),
        ('hub_worker', 'lock_timeout=1s'), ('hub_worker', 'statement_timeout=2s')) AS v (role, setting)$$,
    'calls and lock waits are bounded, times are in UTC');
SELECT bag_eq(
    $$SELECT r.rolname, p.privilege
      FROM pg_roles AS r, unnest('{CONNECT,TEMPORARY,CREATE}'::text[]) WITH ORDINALITY AS p (privilege, place)
      WHERE r.rolname IN ('hub_api', 'hub_worker', 'hub_operator')
          AND has_database_privilege(r.oid, current_database(), p.privilege)$$,
    $$VALUES ('hub_api'::name, 'CONNECT'), ('hub_operator', 'CONNECT'), ('hub_worker', 'CONNECT')$$,
    'they may connect, and make neither temporary objects nor schemas');
SELECT is_empty(
    $$SELECT a.privilege_type
      FROM pg_database AS d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) AS a
      WHERE d.datname = current_database() AND a.grantee = 0$$,
    'nobody else enters');
SELECT is_empty(
    $$SELECT r.rolname, n.nspname
      FROM pg_roles AS r, pg_namespace AS n
      WHERE r.rolname IN ('hub_api', 'hub_worker', 'hub_operator') AND has_schema_privilege(r.oid, n.oid, 'CREATE')$$,
    'they can make no object anywhere');

SELECT * FROM finish();
ROLLBACK;
