-- The roles of KnowledgeHub Jobs, and who may enter this database.
--
-- Run once in the application's database, before the first `knowledgehub migrate`, by a role that
-- owns the database and may create roles (CREATEROLE; superuser is not needed):
--
--     psql --dbname=knowledgehub --file=sql/roles.sql
--
-- It may be run again at any time: it creates what is missing, sets what is set here and takes back what the
-- roles set for themselves; run it again after a change of max_connections. Passwords are not its business:
-- give the login roles one (ALTER ROLE ... PASSWORD), or let pg_hba.conf decide. Roles belong to the whole
-- server; several databases of one server share them.
--
--     hub_owner      owns every schema, table and function; cannot log in
--     hub_migrator   logs in for `knowledgehub migrate` only and acts as hub_owner
--     hub_api        the HTTP API:    EXECUTE on the functions granted to it, nothing else
--     hub_worker     the worker:      the same
--     hub_operator   the command line: the same

DO $$
DECLARE
    v_role text;
BEGIN
    FOREACH v_role IN ARRAY ARRAY['hub_owner', 'hub_migrator', 'hub_api', 'hub_worker', 'hub_operator'] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = v_role) THEN
            EXECUTE format('CREATE ROLE %I %s', v_role,
                           CASE WHEN v_role = 'hub_owner' THEN 'NOLOGIN' ELSE 'LOGIN' END);
        END IF;
    END LOOP;
END
$$;

GRANT hub_owner TO hub_migrator;

-- A role may change its own defaults (ALTER ROLE ... SET): whatever it set, here or for the whole server, goes.
DO $$
DECLARE
    v_role text;
BEGIN
    FOREACH v_role IN ARRAY ARRAY['hub_owner', 'hub_migrator', 'hub_api', 'hub_worker', 'hub_operator'] LOOP
        EXECUTE format('ALTER ROLE %I RESET ALL', v_role);
        EXECUTE format('ALTER ROLE %I IN DATABASE %I RESET ALL', v_role, current_database());
    END LOOP;
END
$$;

-- One lock waits at most a second and a call at most a few: a worker's lease is at least five
-- seconds, so a call that was given up can be tried again before the lease is over.
ALTER ROLE hub_api SET statement_timeout = '5s';
ALTER ROLE hub_worker SET statement_timeout = '2s';
ALTER ROLE hub_operator SET statement_timeout = '30s';
ALTER ROLE hub_api SET lock_timeout = '1s';
ALTER ROLE hub_worker SET lock_timeout = '1s';
ALTER ROLE hub_operator SET lock_timeout = '1s';
ALTER ROLE hub_api SET idle_in_transaction_session_timeout = '10s';
ALTER ROLE hub_worker SET idle_in_transaction_session_timeout = '10s';
ALTER ROLE hub_operator SET idle_in_transaction_session_timeout = '60s';
ALTER ROLE hub_api SET timezone = 'UTC';
ALTER ROLE hub_worker SET timezone = 'UTC';
ALTER ROLE hub_operator SET timezone = 'UTC';

-- However many jobs the workers are told to run at a time, the API and the operator find a connection.
DO $$
BEGIN
    EXECUTE format('ALTER ROLE hub_worker CONNECTION LIMIT %s', current_setting('max_connections')::integer * 6 / 10);
END
$$;

-- Nobody else enters, and nobody makes temporary objects.
DO $$
BEGIN
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO hub_migrator, hub_api, hub_worker, hub_operator',
                   current_database());
    EXECUTE format('GRANT CREATE ON DATABASE %I TO hub_owner', current_database());
END
$$;
