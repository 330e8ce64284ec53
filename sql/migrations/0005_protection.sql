-- depends: 0004_backups
-- What keeps strangers out and floods small: sign-ins are counted, what was refused is remembered, sessions can
-- be named by the operator, and the audit trail takes decisions about the whole hub.

INSERT INTO jobs_store.setting (name, value, minimum, maximum, description) VALUES
    ('IPv6PrefixLength', 128, 32, 128, 'leading bits of IPv6 addresses that are counted as one address');

-- A session gets a name that is no secret: its token's hash is what the API's functions take.
ALTER TABLE hub_store.session
    ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
    ADD COLUMN address inet,
    ADD CONSTRAINT session_id_is_unique UNIQUE (id);
COMMENT ON COLUMN hub_store.session.id IS 'the name by which the operator ends it';
COMMENT ON COLUMN hub_store.session.address IS 'the effective address it was opened from';

CREATE TABLE hub_store.sign_in_attempt (
    account bytea NOT NULL DEFAULT '',
    address text NOT NULL DEFAULT '',
    times timestamptz[] NOT NULL DEFAULT '{}',
    told_at timestamptz,
    CONSTRAINT sign_in_attempt_is_unique PRIMARY KEY (account, address),
    CONSTRAINT sign_in_attempt_account_is_sha256 CHECK (octet_length(account) IN (0, 32)),
    CONSTRAINT sign_in_attempt_has_subject CHECK (account <> '' OR address <> '')
);
COMMENT ON TABLE hub_store.sign_in_attempt IS
    'Sign-ins of the last 15 minutes that failed or are under way: of an address, an account, or one at the other.';
COMMENT ON COLUMN hub_store.sign_in_attempt.account IS
    'SHA-256 of the e-mail address, which may be no user''s, or a password in the wrong field; empty: any';
COMMENT ON COLUMN hub_store.sign_in_attempt.address IS 'the effective address, as it is counted; empty: any';
COMMENT ON COLUMN hub_store.sign_in_attempt.told_at IS 'when its throttling was last written to sign_in_refusal';

CREATE TABLE hub_store.sign_in_refusal (
    id bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    event text NOT NULL,
    user_id uuid,
    address text NOT NULL,
    CONSTRAINT sign_in_refusal_has_id PRIMARY KEY (id),
    CONSTRAINT sign_in_refusal_event_is_known CHECK (event IN ('sign_in.failed', 'sign_in.throttled')),
    CONSTRAINT sign_in_refusal_of_user FOREIGN KEY (user_id) REFERENCES hub_store.app_user (id)
);
CREATE INDEX sign_in_refusal_by_time ON hub_store.sign_in_refusal (at);
CREATE INDEX sign_in_refusal_by_user ON hub_store.sign_in_refusal (user_id);
COMMENT ON TABLE hub_store.sign_in_refusal IS
    'Sign-ins that were refused. Strangers write here, so it is bounded and old rows go: it is not the audit trail.';
COMMENT ON COLUMN hub_store.sign_in_refusal.user_id IS 'whose account it was; NULL: nobody''s';

-- Decisions of the operator about users and settings belong to no workspace.
ALTER TABLE jobs_store.audit_event
    ALTER COLUMN workspace_id DROP NOT NULL,
    ADD CONSTRAINT audit_event_of_hub_is_operators CHECK (
        workspace_id IS NOT NULL OR by = 'operator' AND job_id IS NULL);
CREATE INDEX audit_event_of_hub ON jobs_store.audit_event (id) WHERE workspace_id IS NULL;
CREATE INDEX audit_event_refused ON jobs_store.audit_event (workspace_id, actor_id, event, at)
    WHERE event IN ('job.create_refused', 'job.cancel_refused');
