-- Schemas and the rights on them. Functions grant their own EXECUTE (sql/functions).

-- Before the first function: EXECUTE is never given to PUBLIC. (The form with IN SCHEMA would do nothing.)
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

CREATE SCHEMA hub_store;
COMMENT ON SCHEMA hub_store IS 'People and content: tables only, for their owner only.';

CREATE SCHEMA jobs_store;
COMMENT ON SCHEMA jobs_store IS 'Jobs, worklists and the audit trail: tables only, for their owner only.';

CREATE SCHEMA hub;
COMMENT ON SCHEMA hub IS 'Functions on people and content.';
GRANT USAGE ON SCHEMA hub TO hub_api, hub_worker, hub_operator;

CREATE SCHEMA jobs;
COMMENT ON SCHEMA jobs IS 'Functions on jobs, from admission to cleanup.';
GRANT USAGE ON SCHEMA jobs TO hub_api, hub_worker, hub_operator;
