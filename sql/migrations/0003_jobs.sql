-- depends: 0002_people_and_content
-- Settings, kinds, jobs, worklists, page errors and the audit trail.

CREATE TABLE jobs_store.setting (
    name text NOT NULL,
    value integer NOT NULL,
    minimum integer NOT NULL,
    maximum integer NOT NULL,
    description text NOT NULL,
    CONSTRAINT setting_has_name PRIMARY KEY (name),
    CONSTRAINT setting_is_in_range CHECK (value BETWEEN minimum AND maximum)
);
COMMENT ON TABLE jobs_store.setting IS 'The section KnowledgeHub:Jobs.';

INSERT INTO jobs_store.setting (name, value, minimum, maximum, description) VALUES
    ('MaxPendingPerWorkspace', 10, 0, 1000000, 'queued and running jobs a workspace may have'),
    ('MaxPendingPerActor', 3, 0, 1000000, 'queued and running jobs one administrator may have in a workspace'),
    ('MaxCreatedPerDay', 100, 0, 1000000, 'jobs a workspace may create in any 24 hours'),
    ('MaxCoursePages', 100000, 1, 1000000, 'pages a course may have to be tagged'),
    ('CreationsPerMinutePerAddress', 10, 1, 1000000, 'job requests from one address in any 60 seconds'),
    ('LeaseSeconds', 30, 5, 1000000, 'seconds a claim lasts unless it is renewed'),
    ('MaxAttempts', 3, 1, 1000000, 'claims a job may use up before it fails'),
    ('WorkerConcurrency', 2, 1, 1000000, 'jobs one worker process runs at a time');

-- What differs from kind to kind. A function column names a function of schema jobs, which the one
-- helper jobs._call_kind calls; NULL means: nothing to do.
CREATE TABLE jobs_store.kind (
    name text NOT NULL,
    normalise_function text,
    describe_function text,
    plan_function text,
    advance_function text,
    itemised boolean NOT NULL,
    CONSTRAINT kind_has_name PRIMARY KEY (name)
);
COMMENT ON TABLE jobs_store.kind IS 'The kinds of job there are.';
COMMENT ON COLUMN jobs_store.kind.normalise_function IS 'request body -> {"request", "identity"} or {"errors"}';
COMMENT ON COLUMN jobs_store.kind.describe_function IS 'request in a workspace -> {"labels"} or a refusal';
COMMENT ON COLUMN jobs_store.kind.plan_function IS 'new job -> {"total"}, its worklist written';
COMMENT ON COLUMN jobs_store.kind.advance_function IS 'running job -> what this step did; NULL: a handler in worker/';
COMMENT ON COLUMN jobs_store.kind.itemised IS 'every processed item is changed, skipped or failed';

INSERT INTO jobs_store.kind
    (name, normalise_function, describe_function, plan_function, advance_function, itemised) VALUES
    ('course_tagging', '_normalise_course_tagging', '_describe_course_tagging', '_plan_course_tagging',
     '_advance_course_tagging', true);

-- One row is written by every step, so it has room for its next versions and no index holds a
-- column that a step changes. The position in the worklist is `processed`.
CREATE TABLE jobs_store.job (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    itemised boolean NOT NULL,
    state text NOT NULL DEFAULT 'queued',
    version bigint NOT NULL DEFAULT 1,
    actor_id uuid NOT NULL,
    actor_name text NOT NULL,
    idempotency_key text NOT NULL,
    request jsonb NOT NULL,
    labels jsonb NOT NULL,
    total integer NOT NULL DEFAULT 0,
    processed integer NOT NULL DEFAULT 0,
    changed integer NOT NULL DEFAULT 0,
    skipped integer NOT NULL DEFAULT 0,
    failed integer NOT NULL DEFAULT 0,
    failure jsonb,
    result jsonb,
    attempt integer NOT NULL DEFAULT 0,
    max_attempts integer NOT NULL,
    lease uuid,
    lease_until timestamptz,
    lease_seconds integer,
    worker text,
    page_locked_since timestamptz,
    notified_at timestamptz NOT NULL,
    cancel_requested_at timestamptz,
    created_at timestamptz NOT NULL,
    started_at timestamptz,
    finished_at timestamptz,
    CONSTRAINT job_has_id PRIMARY KEY (id),
    CONSTRAINT job_key_is_unique UNIQUE (actor_id, workspace_id, idempotency_key),
    CONSTRAINT job_of_workspace FOREIGN KEY (workspace_id) REFERENCES hub_store.workspace (id),
    CONSTRAINT job_of_kind FOREIGN KEY (kind) REFERENCES jobs_store.kind (name),
    CONSTRAINT job_of_actor FOREIGN KEY (actor_id) REFERENCES hub_store.app_user (id),
    CONSTRAINT job_state_is_known CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
    CONSTRAINT job_version_is_positive CHECK (version >= 1),
    CONSTRAINT job_key_has_shape CHECK (idempotency_key ~ '^[A-Za-z0-9._:-]{1,128}$'),
    CONSTRAINT job_finished_iff_terminal CHECK (
        (finished_at IS NOT NULL) = (state IN ('succeeded', 'failed', 'cancelled'))),
    CONSTRAINT job_leased_iff_running CHECK (
        CASE WHEN state = 'running' THEN num_nulls(lease, lease_until, lease_seconds, worker, started_at) = 0
             ELSE num_nonnulls(lease, lease_until, lease_seconds, worker, page_locked_since) = 0 END),
    CONSTRAINT job_failure_iff_failed CHECK ((failure IS NOT NULL) = (state = 'failed')),
    CONSTRAINT job_result_only_if_succeeded CHECK (result IS NULL OR state = 'succeeded'),
    CONSTRAINT job_request_ends_queued CHECK (cancel_requested_at IS NULL OR state <> 'queued'),
    CONSTRAINT job_cancelled_on_request CHECK (cancel_requested_at IS NOT NULL OR state <> 'cancelled'),
    CONSTRAINT job_attempt_is_bounded CHECK (attempt BETWEEN 0 AND max_attempts),
    CONSTRAINT job_running_is_attempted CHECK (attempt >= 1 OR state <> 'running'),
    CONSTRAINT job_counts_are_natural CHECK (least(total, changed, skipped, failed) >= 0),
    CONSTRAINT job_processed_is_bounded CHECK (processed BETWEEN 0 AND total),
    CONSTRAINT job_counts_add_up CHECK (
        changed + skipped + failed = CASE WHEN itemised THEN processed ELSE 0 END),
    CONSTRAINT job_itemised_succeeds_whole CHECK (
        processed = total OR NOT itemised OR state <> 'succeeded')
) WITH (fillfactor = 50);
CREATE INDEX job_by_time ON jobs_store.job (workspace_id, created_at, id);
CREATE INDEX job_by_kind ON jobs_store.job (kind, workspace_id, created_at, id);
CREATE INDEX job_ended ON jobs_store.job (workspace_id, state, created_at, id)
    WHERE state IN ('succeeded', 'failed', 'cancelled');
CREATE INDEX job_ended_by_kind ON jobs_store.job (workspace_id, kind, state, created_at, id)
    WHERE state IN ('succeeded', 'failed', 'cancelled');
CREATE INDEX job_pending ON jobs_store.job (workspace_id, actor_id) WHERE state IN ('queued', 'running');
CREATE INDEX job_queued ON jobs_store.job (created_at, id) WHERE state = 'queued';
CREATE INDEX job_running ON jobs_store.job (workspace_id) WHERE state = 'running';
COMMENT ON TABLE jobs_store.job IS 'A job and where it stands; never deleted.';
COMMENT ON COLUMN jobs_store.job.request IS 'what was asked for, normalised, as the client would send it again';
COMMENT ON COLUMN jobs_store.job.labels IS 'titles for the snapshot, copied at admission';
COMMENT ON COLUMN jobs_store.job.lease_seconds IS 'how long a renewal makes the lease last: LeaseSeconds at the claim';
COMMENT ON COLUMN jobs_store.job.page_locked_since IS 'since when the page at the position was found locked';
COMMENT ON COLUMN jobs_store.job.notified_at IS 'when listeners were last told of this job';

CREATE TABLE jobs_store.worklist (
    job_id uuid NOT NULL,
    chunk integer NOT NULL,
    page_ids uuid[] NOT NULL,
    CONSTRAINT worklist_chunk_is_unique PRIMARY KEY (job_id, chunk),
    CONSTRAINT worklist_chunk_is_bounded CHECK (cardinality(page_ids) BETWEEN 1 AND 1000),
    CONSTRAINT worklist_of_job FOREIGN KEY (job_id) REFERENCES jobs_store.job (id)
);
ALTER TABLE jobs_store.worklist ALTER COLUMN page_ids SET STORAGE EXTERNAL;
COMMENT ON TABLE jobs_store.worklist IS
    'The page ids a tagging still has to visit, 1,000 a row in page id order: item n is in chunk n / 1000.';

CREATE TABLE jobs_store.page_error (
    job_id uuid NOT NULL,
    page_id uuid NOT NULL,
    page_title text,
    code text NOT NULL,
    CONSTRAINT page_error_is_unique PRIMARY KEY (job_id, page_id),
    CONSTRAINT page_error_code_is_known CHECK (
        code IN ('page_missing', 'page_busy', 'tags_full', 'page_rejected')),
    CONSTRAINT page_error_of_job FOREIGN KEY (job_id) REFERENCES jobs_store.job (id)
);
COMMENT ON TABLE jobs_store.page_error IS 'The first 100 pages a job could not tag, in page id order.';

CREATE TABLE jobs_store.audit_event (
    id bigint GENERATED ALWAYS AS IDENTITY,
    public_id uuid NOT NULL DEFAULT gen_random_uuid(),
    at timestamptz NOT NULL,
    event text NOT NULL,
    workspace_id uuid NOT NULL,
    job_id uuid,
    actor_id uuid,
    actor_name text,
    by text NOT NULL,
    worker text,
    address inet,
    detail jsonb NOT NULL DEFAULT '{}',
    CONSTRAINT audit_event_has_id PRIMARY KEY (id),
    CONSTRAINT audit_event_by_is_known CHECK (by IN ('user', 'worker', 'operator')),
    CONSTRAINT audit_event_actor_iff_user CHECK ((actor_id IS NOT NULL) = (by = 'user')),
    CONSTRAINT audit_event_worker_iff_worker CHECK ((worker IS NOT NULL) = (by = 'worker')),
    CONSTRAINT audit_event_of_workspace FOREIGN KEY (workspace_id) REFERENCES hub_store.workspace (id),
    CONSTRAINT audit_event_of_job FOREIGN KEY (job_id) REFERENCES jobs_store.job (id)
);
CREATE INDEX audit_event_by_workspace ON jobs_store.audit_event (workspace_id, id);
CREATE INDEX audit_event_by_job ON jobs_store.audit_event (job_id, id);
COMMENT ON TABLE jobs_store.audit_event IS 'Who decided what, when: appended to, never changed.';
COMMENT ON COLUMN jobs_store.audit_event.id IS 'the order, which clients see in cursors only';
COMMENT ON COLUMN jobs_store.audit_event.public_id IS 'the id that clients see';

CREATE TABLE jobs_store.request_budget (
    address text NOT NULL,
    times timestamptz[] NOT NULL,
    CONSTRAINT request_budget_has_address PRIMARY KEY (address)
);
COMMENT ON TABLE jobs_store.request_budget IS
    'When an effective address asked for jobs within the last minute, oldest first.';
