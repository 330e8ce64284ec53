-- Schemas, tables, indexes, constraints and triggers, as PostgreSQL 18's pg_dump shows a migrated database.
-- For reading and for comparing; made by `make schema`, never edited. Functions are in sql/functions.

CREATE SCHEMA hub;

ALTER SCHEMA hub OWNER TO hub_owner;

COMMENT ON SCHEMA hub IS 'Functions on people and content.';

CREATE SCHEMA hub_store;

ALTER SCHEMA hub_store OWNER TO hub_owner;

COMMENT ON SCHEMA hub_store IS 'People and content: tables only, for their owner only.';

CREATE SCHEMA jobs;

ALTER SCHEMA jobs OWNER TO hub_owner;

COMMENT ON SCHEMA jobs IS 'Functions on jobs, from admission to cleanup.';

CREATE SCHEMA jobs_store;

ALTER SCHEMA jobs_store OWNER TO hub_owner;

COMMENT ON SCHEMA jobs_store IS 'Jobs, worklists and the audit trail: tables only, for their owner only.';

CREATE TABLE hub_store.app_user (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    password_hash text NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT app_user_email_is_lower CHECK ((email = lower(email))),
    CONSTRAINT app_user_email_is_short CHECK (((char_length(email) >= 3) AND (char_length(email) <= 254))),
    CONSTRAINT app_user_name_is_short CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200)))
);

ALTER TABLE hub_store.app_user OWNER TO hub_owner;

COMMENT ON TABLE hub_store.app_user IS 'A person who may sign in. Never deleted, only disabled.';

CREATE TABLE hub_store.course (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    workspace_id uuid NOT NULL,
    "position" integer NOT NULL,
    title text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT course_title_is_short CHECK ((char_length(title) <= 10000))
);

ALTER TABLE hub_store.course OWNER TO hub_owner;

COMMENT ON TABLE hub_store.course IS 'An ordered collection of pages.';

CREATE TABLE hub_store.membership (
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    CONSTRAINT membership_role_is_known CHECK ((role = ANY (ARRAY['administrator'::text, 'editor'::text, 'reader'::text])))
);

ALTER TABLE hub_store.membership OWNER TO hub_owner;

COMMENT ON TABLE hub_store.membership IS 'What a user may do in a workspace; its row is the lock between using a right and revoking it.';

CREATE TABLE hub_store.page (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    course_id uuid NOT NULL,
    "position" integer NOT NULL,
    title text NOT NULL,
    content text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    etag uuid DEFAULT gen_random_uuid() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT page_content_is_bounded CHECK ((octet_length(content) <= 2097152)),
    CONSTRAINT page_tags_are_bounded CHECK ((cardinality(tags) <= 200)),
    CONSTRAINT page_title_is_short CHECK ((char_length(title) <= 10000))
)
WITH (fillfactor='85');

ALTER TABLE hub_store.page OWNER TO hub_owner;

COMMENT ON TABLE hub_store.page IS 'A Markdown page; every write gives it a new etag.';

CREATE TABLE hub_store.session (
    token_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    last_seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    address inet,
    CONSTRAINT session_token_is_sha256 CHECK ((octet_length(token_hash) = 32))
);

ALTER TABLE hub_store.session OWNER TO hub_owner;

COMMENT ON TABLE hub_store.session IS 'A signed-in browser, known by the SHA-256 of its token.';

COMMENT ON COLUMN hub_store.session.id IS 'the name by which the operator ends it';

COMMENT ON COLUMN hub_store.session.address IS 'the effective address it was opened from';

CREATE TABLE hub_store.sign_in_attempt (
    account bytea DEFAULT '\x'::bytea NOT NULL,
    address text DEFAULT ''::text NOT NULL,
    times timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL,
    told_at timestamp with time zone,
    CONSTRAINT sign_in_attempt_account_is_sha256 CHECK ((octet_length(account) = ANY (ARRAY[0, 32]))),
    CONSTRAINT sign_in_attempt_has_subject CHECK (((account <> '\x'::bytea) OR (address <> ''::text)))
);

ALTER TABLE hub_store.sign_in_attempt OWNER TO hub_owner;

COMMENT ON TABLE hub_store.sign_in_attempt IS 'Sign-ins of the last 15 minutes that failed or are under way: of an address, an account, or one at the other.';

COMMENT ON COLUMN hub_store.sign_in_attempt.account IS 'SHA-256 of the e-mail address, which may be no user''s, or a password in the wrong field; empty: any';

COMMENT ON COLUMN hub_store.sign_in_attempt.address IS 'the effective address, as it is counted; empty: any';

COMMENT ON COLUMN hub_store.sign_in_attempt.told_at IS 'when its throttling was last written to sign_in_refusal';

CREATE TABLE hub_store.sign_in_refusal (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    event text NOT NULL,
    user_id uuid,
    address text NOT NULL,
    CONSTRAINT sign_in_refusal_event_is_known CHECK ((event = ANY (ARRAY['sign_in.failed'::text, 'sign_in.throttled'::text])))
);

ALTER TABLE hub_store.sign_in_refusal OWNER TO hub_owner;

COMMENT ON TABLE hub_store.sign_in_refusal IS 'Sign-ins that were refused. Strangers write here, so it is bounded and old rows go: it is not the audit trail.';

COMMENT ON COLUMN hub_store.sign_in_refusal.user_id IS 'whose account it was; NULL: nobody''s';

ALTER TABLE hub_store.sign_in_refusal ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME hub_store.sign_in_refusal_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE hub_store.workspace (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    title text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT workspace_title_is_short CHECK (((char_length(title) >= 1) AND (char_length(title) <= 10000)))
);

ALTER TABLE hub_store.workspace OWNER TO hub_owner;

COMMENT ON TABLE hub_store.workspace IS 'A knowledge base of its own; its row is the lock that serialises admission.';

CREATE TABLE jobs_store.archive_deletion (
    job_id uuid NOT NULL,
    deleted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE jobs_store.archive_deletion OWNER TO hub_owner;

COMMENT ON TABLE jobs_store.archive_deletion IS 'The backups whose archive the operator deleted; the job and its result stay.';

CREATE TABLE jobs_store.audit_event (
    id bigint NOT NULL,
    public_id uuid DEFAULT gen_random_uuid() NOT NULL,
    at timestamp with time zone NOT NULL,
    event text NOT NULL,
    workspace_id uuid,
    job_id uuid,
    actor_id uuid,
    actor_name text,
    by text NOT NULL,
    worker text,
    address inet,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT audit_event_actor_iff_user CHECK (((actor_id IS NOT NULL) = (by = 'user'::text))),
    CONSTRAINT audit_event_by_is_known CHECK ((by = ANY (ARRAY['user'::text, 'worker'::text, 'operator'::text]))),
    CONSTRAINT audit_event_of_hub_is_operators CHECK (((workspace_id IS NOT NULL) OR ((by = 'operator'::text) AND (job_id IS NULL)))),
    CONSTRAINT audit_event_worker_iff_worker CHECK (((worker IS NOT NULL) = (by = 'worker'::text)))
);

ALTER TABLE jobs_store.audit_event OWNER TO hub_owner;

COMMENT ON TABLE jobs_store.audit_event IS 'Who decided what, when: appended to, never changed.';

COMMENT ON COLUMN jobs_store.audit_event.id IS 'the order, which clients see in cursors only';

COMMENT ON COLUMN jobs_store.audit_event.public_id IS 'the id that clients see';

ALTER TABLE jobs_store.audit_event ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME jobs_store.audit_event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE jobs_store.job (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    itemised boolean NOT NULL,
    state text DEFAULT 'queued'::text NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    actor_id uuid NOT NULL,
    actor_name text NOT NULL,
    idempotency_key text NOT NULL,
    request jsonb NOT NULL,
    labels jsonb NOT NULL,
    total integer DEFAULT 0 NOT NULL,
    processed integer DEFAULT 0 NOT NULL,
    changed integer DEFAULT 0 NOT NULL,
    skipped integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    failure jsonb,
    result jsonb,
    attempt integer DEFAULT 0 NOT NULL,
    max_attempts integer NOT NULL,
    lease uuid,
    lease_until timestamp with time zone,
    lease_seconds integer,
    worker text,
    page_locked_since timestamp with time zone,
    notified_at timestamp with time zone NOT NULL,
    cancel_requested_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    CONSTRAINT job_attempt_is_bounded CHECK (((attempt >= 0) AND (attempt <= max_attempts))),
    CONSTRAINT job_cancelled_on_request CHECK (((cancel_requested_at IS NOT NULL) OR (state <> 'cancelled'::text))),
    CONSTRAINT job_counts_add_up CHECK ((((changed + skipped) + failed) =
CASE
    WHEN itemised THEN processed
    ELSE 0
END)),
    CONSTRAINT job_counts_are_natural CHECK ((LEAST(total, changed, skipped, failed) >= 0)),
    CONSTRAINT job_failure_iff_failed CHECK (((failure IS NOT NULL) = (state = 'failed'::text))),
    CONSTRAINT job_finished_iff_terminal CHECK (((finished_at IS NOT NULL) = (state = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text])))),
    CONSTRAINT job_itemised_succeeds_whole CHECK (((processed = total) OR (NOT itemised) OR (state <> 'succeeded'::text))),
    CONSTRAINT job_key_has_shape CHECK ((idempotency_key ~ '^[A-Za-z0-9._:-]{1,128}$'::text)),
    CONSTRAINT job_leased_iff_running CHECK (
CASE
    WHEN (state = 'running'::text) THEN (num_nulls(lease, lease_until, lease_seconds, worker, started_at) = 0)
    ELSE (num_nonnulls(lease, lease_until, lease_seconds, worker, page_locked_since) = 0)
END),
    CONSTRAINT job_processed_is_bounded CHECK (((processed >= 0) AND (processed <= total))),
    CONSTRAINT job_request_ends_queued CHECK (((cancel_requested_at IS NULL) OR (state <> 'queued'::text))),
    CONSTRAINT job_result_only_if_succeeded CHECK (((result IS NULL) OR (state = 'succeeded'::text))),
    CONSTRAINT job_running_is_attempted CHECK (((attempt >= 1) OR (state <> 'running'::text))),
    CONSTRAINT job_state_is_known CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text]))),
    CONSTRAINT job_version_is_positive CHECK ((version >= 1))
)
WITH (fillfactor='50');

ALTER TABLE jobs_store.job OWNER TO hub_owner;

COMMENT ON TABLE jobs_store.job IS 'A job and where it stands; never deleted.';

COMMENT ON COLUMN jobs_store.job.request IS 'what was asked for, normalised, as the client would send it again';

COMMENT ON COLUMN jobs_store.job.labels IS 'titles for the snapshot, copied at admission';

COMMENT ON COLUMN jobs_store.job.lease_seconds IS 'how long a renewal makes the lease last: LeaseSeconds at the claim';

COMMENT ON COLUMN jobs_store.job.page_locked_since IS 'since when the page at the position was found locked';

COMMENT ON COLUMN jobs_store.job.notified_at IS 'when listeners were last told of this job';

CREATE TABLE jobs_store.kind (
    name text NOT NULL,
    normalise_function text,
    describe_function text,
    plan_function text,
    advance_function text,
    itemised boolean NOT NULL
);

ALTER TABLE jobs_store.kind OWNER TO hub_owner;

COMMENT ON TABLE jobs_store.kind IS 'The kinds of job there are.';

COMMENT ON COLUMN jobs_store.kind.normalise_function IS 'request body -> {"request", "identity"} or {"errors"}';

COMMENT ON COLUMN jobs_store.kind.describe_function IS 'request in a workspace -> {"labels"} or a refusal';

COMMENT ON COLUMN jobs_store.kind.plan_function IS 'new job -> {"total"}, its worklist written';

COMMENT ON COLUMN jobs_store.kind.advance_function IS 'running job -> what this step did; NULL: a handler in worker/';

COMMENT ON COLUMN jobs_store.kind.itemised IS 'every processed item is changed, skipped or failed';

CREATE TABLE jobs_store.page_error (
    job_id uuid NOT NULL,
    page_id uuid NOT NULL,
    page_title text,
    code text NOT NULL,
    CONSTRAINT page_error_code_is_known CHECK ((code = ANY (ARRAY['page_missing'::text, 'page_busy'::text, 'tags_full'::text, 'page_rejected'::text])))
);

ALTER TABLE jobs_store.page_error OWNER TO hub_owner;

COMMENT ON TABLE jobs_store.page_error IS 'The first 100 pages a job could not tag, in page id order.';

CREATE TABLE jobs_store.request_budget (
    address text NOT NULL,
    times timestamp with time zone[] NOT NULL
);

ALTER TABLE jobs_store.request_budget OWNER TO hub_owner;

COMMENT ON TABLE jobs_store.request_budget IS 'When an effective address asked for jobs within the last minute, oldest first.';

CREATE TABLE jobs_store.setting (
    name text NOT NULL,
    value integer NOT NULL,
    minimum integer NOT NULL,
    maximum integer NOT NULL,
    description text NOT NULL,
    CONSTRAINT setting_is_in_range CHECK (((value >= minimum) AND (value <= maximum)))
);

ALTER TABLE jobs_store.setting OWNER TO hub_owner;

COMMENT ON TABLE jobs_store.setting IS 'The section KnowledgeHub:Jobs.';

CREATE TABLE jobs_store.worklist (
    job_id uuid NOT NULL,
    chunk integer NOT NULL,
    page_ids uuid[] NOT NULL,
    CONSTRAINT worklist_chunk_is_bounded CHECK (((cardinality(page_ids) >= 1) AND (cardinality(page_ids) <= 1000)))
);
ALTER TABLE ONLY jobs_store.worklist ALTER COLUMN page_ids SET STORAGE EXTERNAL;

ALTER TABLE jobs_store.worklist OWNER TO hub_owner;

COMMENT ON TABLE jobs_store.worklist IS 'The page ids a tagging still has to visit, 1,000 a row in page id order: item n is in chunk n / 1000.';

ALTER TABLE ONLY hub_store.app_user
    ADD CONSTRAINT app_user_email_is_unique UNIQUE (email);

ALTER TABLE ONLY hub_store.app_user
    ADD CONSTRAINT app_user_has_id PRIMARY KEY (id);

ALTER TABLE ONLY hub_store.course
    ADD CONSTRAINT course_has_id PRIMARY KEY (id);

ALTER TABLE ONLY hub_store.course
    ADD CONSTRAINT course_position_is_unique UNIQUE (workspace_id, "position");

ALTER TABLE ONLY hub_store.membership
    ADD CONSTRAINT membership_is_unique PRIMARY KEY (workspace_id, user_id);

ALTER TABLE ONLY hub_store.page
    ADD CONSTRAINT page_has_id PRIMARY KEY (id);

ALTER TABLE ONLY hub_store.page
    ADD CONSTRAINT page_position_is_unique UNIQUE (course_id, "position") INCLUDE (id);

ALTER TABLE ONLY hub_store.session
    ADD CONSTRAINT session_has_token PRIMARY KEY (token_hash);

ALTER TABLE ONLY hub_store.session
    ADD CONSTRAINT session_id_is_unique UNIQUE (id);

ALTER TABLE ONLY hub_store.sign_in_attempt
    ADD CONSTRAINT sign_in_attempt_is_unique PRIMARY KEY (account, address);

ALTER TABLE ONLY hub_store.sign_in_refusal
    ADD CONSTRAINT sign_in_refusal_has_id PRIMARY KEY (id);

ALTER TABLE ONLY hub_store.workspace
    ADD CONSTRAINT workspace_has_id PRIMARY KEY (id);

ALTER TABLE ONLY jobs_store.archive_deletion
    ADD CONSTRAINT archive_deletion_is_unique PRIMARY KEY (job_id);

ALTER TABLE ONLY jobs_store.audit_event
    ADD CONSTRAINT audit_event_has_id PRIMARY KEY (id);

ALTER TABLE ONLY jobs_store.job
    ADD CONSTRAINT job_has_id PRIMARY KEY (id);

ALTER TABLE ONLY jobs_store.job
    ADD CONSTRAINT job_key_is_unique UNIQUE (actor_id, workspace_id, idempotency_key);

ALTER TABLE ONLY jobs_store.kind
    ADD CONSTRAINT kind_has_name PRIMARY KEY (name);

ALTER TABLE ONLY jobs_store.page_error
    ADD CONSTRAINT page_error_is_unique PRIMARY KEY (job_id, page_id);

ALTER TABLE ONLY jobs_store.request_budget
    ADD CONSTRAINT request_budget_has_address PRIMARY KEY (address);

ALTER TABLE ONLY jobs_store.setting
    ADD CONSTRAINT setting_has_name PRIMARY KEY (name);

ALTER TABLE ONLY jobs_store.worklist
    ADD CONSTRAINT worklist_chunk_is_unique PRIMARY KEY (job_id, chunk);

CREATE INDEX membership_by_user ON hub_store.membership USING btree (user_id);

CREATE INDEX session_by_user ON hub_store.session USING btree (user_id);

CREATE INDEX sign_in_refusal_by_time ON hub_store.sign_in_refusal USING btree (at);

CREATE INDEX sign_in_refusal_by_user ON hub_store.sign_in_refusal USING btree (user_id);

CREATE INDEX audit_event_by_job ON jobs_store.audit_event USING btree (job_id, id);

CREATE INDEX audit_event_by_workspace ON jobs_store.audit_event USING btree (workspace_id, id);

CREATE INDEX audit_event_of_hub ON jobs_store.audit_event USING btree (id) WHERE (workspace_id IS NULL);

CREATE INDEX audit_event_refused ON jobs_store.audit_event USING btree (workspace_id, actor_id, event, at) WHERE (event = ANY (ARRAY['job.create_refused'::text, 'job.cancel_refused'::text]));

CREATE INDEX job_by_kind ON jobs_store.job USING btree (kind, workspace_id, created_at, id);

CREATE INDEX job_by_time ON jobs_store.job USING btree (workspace_id, created_at, id);

CREATE INDEX job_ended ON jobs_store.job USING btree (workspace_id, state, created_at, id) WHERE (state = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text]));

CREATE INDEX job_ended_by_kind ON jobs_store.job USING btree (workspace_id, kind, state, created_at, id) WHERE (state = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text]));

CREATE INDEX job_pending ON jobs_store.job USING btree (workspace_id, actor_id) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));

CREATE INDEX job_queued ON jobs_store.job USING btree (created_at, id) WHERE (state = 'queued'::text);

CREATE INDEX job_running ON jobs_store.job USING btree (workspace_id) WHERE (state = 'running'::text);

CREATE TRIGGER audit_event_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON jobs_store.audit_event FOR EACH STATEMENT EXECUTE FUNCTION jobs._refuse_change();

ALTER TABLE jobs_store.audit_event ENABLE ALWAYS TRIGGER audit_event_is_append_only;

CREATE TRIGGER job_is_kept BEFORE DELETE OR TRUNCATE ON jobs_store.job FOR EACH STATEMENT EXECUTE FUNCTION jobs._refuse_change();

ALTER TABLE jobs_store.job ENABLE ALWAYS TRIGGER job_is_kept;

CREATE TRIGGER job_terminal_is_final BEFORE UPDATE ON jobs_store.job FOR EACH ROW WHEN ((old.finished_at IS NOT NULL)) EXECUTE FUNCTION jobs._refuse_change();

ALTER TABLE jobs_store.job ENABLE ALWAYS TRIGGER job_terminal_is_final;

ALTER TABLE ONLY hub_store.course
    ADD CONSTRAINT course_of_workspace FOREIGN KEY (workspace_id) REFERENCES hub_store.workspace(id);

ALTER TABLE ONLY hub_store.membership
    ADD CONSTRAINT membership_of_user FOREIGN KEY (user_id) REFERENCES hub_store.app_user(id);

ALTER TABLE ONLY hub_store.membership
    ADD CONSTRAINT membership_of_workspace FOREIGN KEY (workspace_id) REFERENCES hub_store.workspace(id);

ALTER TABLE ONLY hub_store.page
    ADD CONSTRAINT page_of_course FOREIGN KEY (course_id) REFERENCES hub_store.course(id);

ALTER TABLE ONLY hub_store.session
    ADD CONSTRAINT session_of_user FOREIGN KEY (user_id) REFERENCES hub_store.app_user(id);

ALTER TABLE ONLY hub_store.sign_in_refusal
    ADD CONSTRAINT sign_in_refusal_of_user FOREIGN KEY (user_id) REFERENCES hub_store.app_user(id);

ALTER TABLE ONLY jobs_store.archive_deletion
    ADD CONSTRAINT archive_deletion_of_job FOREIGN KEY (job_id) REFERENCES jobs_store.job(id);

ALTER TABLE ONLY jobs_store.audit_event
    ADD CONSTRAINT audit_event_of_job FOREIGN KEY (job_id) REFERENCES jobs_store.job(id);

ALTER TABLE ONLY jobs_store.audit_event
    ADD CONSTRAINT audit_event_of_workspace FOREIGN KEY (workspace_id) REFERENCES hub_store.workspace(id);

ALTER TABLE ONLY jobs_store.job
    ADD CONSTRAINT job_of_actor FOREIGN KEY (actor_id) REFERENCES hub_store.app_user(id);

ALTER TABLE ONLY jobs_store.job
    ADD CONSTRAINT job_of_kind FOREIGN KEY (kind) REFERENCES jobs_store.kind(name);

ALTER TABLE ONLY jobs_store.job
    ADD CONSTRAINT job_of_workspace FOREIGN KEY (workspace_id) REFERENCES hub_store.workspace(id);

ALTER TABLE ONLY jobs_store.page_error
    ADD CONSTRAINT page_error_of_job FOREIGN KEY (job_id) REFERENCES jobs_store.job(id);

ALTER TABLE ONLY jobs_store.worklist
    ADD CONSTRAINT worklist_of_job FOREIGN KEY (job_id) REFERENCES jobs_store.job(id);

GRANT USAGE ON SCHEMA hub TO hub_api;
GRANT USAGE ON SCHEMA hub TO hub_worker;
GRANT USAGE ON SCHEMA hub TO hub_operator;

GRANT USAGE ON SCHEMA jobs TO hub_api;
GRANT USAGE ON SCHEMA jobs TO hub_worker;
GRANT USAGE ON SCHEMA jobs TO hub_operator;
