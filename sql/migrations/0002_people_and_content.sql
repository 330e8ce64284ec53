-- depends: 0001_schemas
-- People, sessions, workspaces, memberships, courses and pages.

CREATE TABLE hub_store.app_user (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    email text NOT NULL,
    name text NOT NULL,
    password_hash text NOT NULL,
    enabled boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT app_user_has_id PRIMARY KEY (id),
    CONSTRAINT app_user_email_is_unique UNIQUE (email),
    CONSTRAINT app_user_email_is_lower CHECK (email = lower(email)),
    CONSTRAINT app_user_email_is_short CHECK (char_length(email) BETWEEN 3 AND 254),
    CONSTRAINT app_user_name_is_short CHECK (char_length(name) BETWEEN 1 AND 200)
);
COMMENT ON TABLE hub_store.app_user IS 'A person who may sign in. Never deleted, only disabled.';

CREATE TABLE hub_store.session (
    token_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT session_has_token PRIMARY KEY (token_hash),
    CONSTRAINT session_token_is_sha256 CHECK (octet_length(token_hash) = 32),
    CONSTRAINT session_of_user FOREIGN KEY (user_id) REFERENCES hub_store.app_user (id)
);
CREATE INDEX session_by_user ON hub_store.session (user_id);
COMMENT ON TABLE hub_store.session IS 'A signed-in browser, known by the SHA-256 of its token.';

CREATE TABLE hub_store.workspace (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    title text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT workspace_has_id PRIMARY KEY (id),
    CONSTRAINT workspace_title_is_short CHECK (char_length(title) BETWEEN 1 AND 10000)
);
COMMENT ON TABLE hub_store.workspace IS 'A knowledge base of its own; its row is the lock that serialises admission.';

CREATE TABLE hub_store.membership (
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    enabled boolean NOT NULL DEFAULT true,
    CONSTRAINT membership_is_unique PRIMARY KEY (workspace_id, user_id),
    CONSTRAINT membership_role_is_known CHECK (role IN ('administrator', 'editor', 'reader')),
    CONSTRAINT membership_of_workspace FOREIGN KEY (workspace_id) REFERENCES hub_store.workspace (id),
    CONSTRAINT membership_of_user FOREIGN KEY (user_id) REFERENCES hub_store.app_user (id)
);
CREATE INDEX membership_by_user ON hub_store.membership (user_id);
COMMENT ON TABLE hub_store.membership IS
    'What a user may do in a workspace; its row is the lock between using a right and revoking it.';

CREATE TABLE hub_store.course (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    workspace_id uuid NOT NULL,
    position integer NOT NULL,
    title text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT course_has_id PRIMARY KEY (id),
    CONSTRAINT course_position_is_unique UNIQUE (workspace_id, position),
    CONSTRAINT course_title_is_short CHECK (char_length(title) <= 10000),
    CONSTRAINT course_of_workspace FOREIGN KEY (workspace_id) REFERENCES hub_store.workspace (id)
);
COMMENT ON TABLE hub_store.course IS 'An ordered collection of pages.';

-- The fillfactor leaves room for a tagged page beside its former version: the update stays HOT, for
-- no index holds a column that tagging changes.
CREATE TABLE hub_store.page (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    course_id uuid NOT NULL,
    position integer NOT NULL,
    title text NOT NULL,
    content text NOT NULL,
    tags text[] NOT NULL DEFAULT '{}',
    etag uuid NOT NULL DEFAULT gen_random_uuid(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT page_has_id PRIMARY KEY (id),
    CONSTRAINT page_position_is_unique UNIQUE (course_id, position) INCLUDE (id),
    CONSTRAINT page_title_is_short CHECK (char_length(title) <= 10000),
    CONSTRAINT page_content_is_bounded CHECK (octet_length(content) <= 2097152),
    CONSTRAINT page_tags_are_bounded CHECK (cardinality(tags) <= 200),
    CONSTRAINT page_of_course FOREIGN KEY (course_id) REFERENCES hub_store.course (id)
) WITH (fillfactor = 85);
COMMENT ON TABLE hub_store.page IS 'A Markdown page; every write gives it a new etag.';
