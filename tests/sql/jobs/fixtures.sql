-- What the tests of schema jobs share. A person, workspace or course is known by its name: its id is the
-- md5 of it, a person's session token the sha256. A job is known by its idempotency key.

CREATE SCHEMA fixture;

CREATE FUNCTION fixture.id(p_name text) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT md5(p_name)::uuid;
$$;

CREATE FUNCTION fixture.session(p_name text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT sha256(p_name::bytea);
$$;

-- The id of page n: pages are visited in this order.
CREATE FUNCTION fixture.page(p_number integer) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT ('00000000-0000-4000-8000-' || lpad(to_hex(p_number), 12, '0'))::uuid;
$$;

-- Three administrators, an editor, a reader and one whose membership is disabled, all in "main"; a
-- stranger, who administers "other". In "main" are a course of three pages and an empty one, in "other"
-- one of one page. "archive" is a kind that a handler runs. Made without the checks of foreign keys, which
-- would lock rows: a lock on a row of this world is one that a function under test took.
CREATE PROCEDURE fixture.world() LANGUAGE sql SET session_replication_role = replica AS $$
    INSERT INTO hub_store.app_user (id, email, name, password_hash)
    SELECT fixture.id(n.name), n.name || '@example.org', initcap(n.name), 'hash'
    FROM unnest(ARRAY['ada', 'ben', 'cyd', 'editor', 'reader', 'lapsed', 'stranger']) AS n (name);
    INSERT INTO hub_store.session (token_hash, user_id)
    SELECT fixture.session(n.name), fixture.id(n.name)
    FROM unnest(ARRAY['ada', 'ben', 'cyd', 'editor', 'reader', 'lapsed', 'stranger']) AS n (name);
    INSERT INTO hub_store.workspace (id, title)
    VALUES (fixture.id('main'), 'Main'), (fixture.id('other'), 'Other');
    INSERT INTO hub_store.membership (workspace_id, user_id, role, enabled)
    SELECT fixture.id(m.place), fixture.id(m.name), m.role, m.name <> 'lapsed'
    FROM (VALUES
        ('main', 'ada', 'administrator'), ('main', 'ben', 'administrator'), ('main', 'cyd', 'administrator'),
        ('main', 'editor', 'editor'), ('main', 'reader', 'reader'), ('main', 'lapsed', 'administrator'),
        ('other', 'stranger', 'administrator')) AS m (place, name, role);
    INSERT INTO hub_store.course (id, workspace_id, position, title)
    VALUES (fixture.id('course'), fixture.id('main'), 1, 'Course'),
           (fixture.id('empty'), fixture.id('main'), 2, 'Empty'),
           (fixture.id('foreign'), fixture.id('other'), 1, 'Foreign');
    INSERT INTO hub_store.page (id, course_id, position, title, content)
    SELECT fixture.page(n), fixture.id('course'), n, 'Page ' || n, E'# Page\r\n\ttab, ünï, 🙂 \n'
    FROM generate_series(1, 3) AS n;
    INSERT INTO hub_store.page (course_id, position, title, content)
    VALUES (fixture.id('foreign'), 1, 'Foreign page', '');
    INSERT INTO jobs_store.kind (name, itemised) VALUES ('archive', false);
$$;

-- Makes the course have so many pages.
CREATE PROCEDURE fixture.grow(p_pages integer) LANGUAGE sql AS $$
    INSERT INTO hub_store.page (id, course_id, position, title, content)
    SELECT fixture.page(n), fixture.id('course'), n, 'Page ' || n, 'text' FROM generate_series(4, p_pages) AS n;
$$;

CREATE FUNCTION fixture.tagging(p_tags text[] DEFAULT '{New}', p_course text DEFAULT 'course')
RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object('kind', 'course_tagging', 'course_id', fixture.id(p_course), 'tags', p_tags);
$$;

-- Asks for a job; the outcome.
CREATE FUNCTION fixture.create(
    p_key text,
    p_who text DEFAULT 'ada',
    p_body jsonb DEFAULT fixture.tagging(),
    p_workspace text DEFAULT 'main'
)
RETURNS text LANGUAGE sql AS $$
    SELECT c.outcome
    FROM jobs.create_job(fixture.session(p_who), fixture.id(p_workspace), p_key, p_body, '192.0.2.1') AS c;
$$;

-- Makes a job, which must succeed.
CREATE PROCEDURE fixture.queue(
    p_key text DEFAULT 'job',
    p_body jsonb DEFAULT fixture.tagging(),
    p_who text DEFAULT 'ada'
) LANGUAGE plpgsql AS $$
BEGIN
    ASSERT fixture.create(p_key, p_who, p_body) = 'created', 'the job was not created';
END;
$$;

CREATE FUNCTION fixture.job(p_key text DEFAULT 'job') RETURNS uuid LANGUAGE sql AS $$
    SELECT j.id FROM jobs_store.job AS j WHERE j.idempotency_key = p_key;
$$;

-- Claims; the key of the job, NULL where there was none.
CREATE FUNCTION fixture.claim(p_worker text DEFAULT 'worker', p_kinds text[] DEFAULT '{course_tagging,archive}')
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_job uuid;
BEGIN
    SELECT c.job_id INTO v_job FROM jobs.claim(p_worker, p_kinds) AS c;
    RETURN (SELECT j.idempotency_key FROM jobs_store.job AS j WHERE j.id = v_job);
END;
$$;

-- Makes and claims a job.
CREATE PROCEDURE fixture.start(
    p_key text DEFAULT 'job',
    p_body jsonb DEFAULT fixture.tagging(),
    p_who text DEFAULT 'ada'
) LANGUAGE plpgsql AS $$
BEGIN
    CALL fixture.queue(p_key, p_body, p_who);
    ASSERT fixture.claim() = p_key, 'another job was claimed';
END;
$$;

-- Makes a backup that has succeeded; its archive is named by its job and p_suffix.
CREATE PROCEDURE fixture.back_up(p_key text, p_suffix text DEFAULT '0123456789abcdef', p_who text DEFAULT 'ada')
LANGUAGE plpgsql AS $$
DECLARE
    v_outcome text;
BEGIN
    CALL fixture.queue(p_key, '{"kind": "backup"}', p_who);
    ASSERT fixture.claim(p_kinds => '{backup}') = p_key, 'another job was claimed';
    SELECT f.outcome INTO v_outcome
    FROM jobs.finish(fixture.job(p_key), fixture.lease(p_key), jsonb_build_object(
        'archive', fixture.archive(p_key, p_suffix), 'bytes', 7, 'pages', 3, 'sha256', repeat('a', 64))) AS f;
    ASSERT v_outcome = 'succeeded', 'the backup did not succeed';
END;
$$;

-- The name of a file of a job in the backup folder.
CREATE FUNCTION fixture.archive(p_key text, p_suffix text DEFAULT '0123456789abcdef')
RETURNS text LANGUAGE sql AS $$
    SELECT fixture.job(p_key) || '.' || p_suffix || '.zip';
$$;

-- A running backup, made without any call: its consistent read is a transaction in which those do not work.
CREATE PROCEDURE fixture.run_backup(p_key text DEFAULT 'job', p_kind text DEFAULT 'backup') LANGUAGE sql AS $$
    INSERT INTO jobs_store.job
        (workspace_id, kind, itemised, state, actor_id, actor_name, idempotency_key, request, labels, max_attempts,
         attempt, lease, lease_until, lease_seconds, worker, notified_at, created_at, started_at)
    SELECT fixture.id('main'), p_kind, false, 'running', fixture.id('ada'), 'Ada', p_key, '{}', '{}', 3,
           1, gen_random_uuid(), n.now, 30, 'worker', n.now, n.now, n.now
    FROM (SELECT clock_timestamp() AS now) AS n;
$$;

CREATE FUNCTION fixture.lease(p_key text DEFAULT 'job') RETURNS uuid LANGUAGE sql AS $$
    SELECT j.lease FROM jobs_store.job AS j WHERE j.id = fixture.job(p_key);
$$;

-- Lets the lease of a job be over.
CREATE PROCEDURE fixture.expire(p_key text DEFAULT 'job', p_age interval DEFAULT '1 second') LANGUAGE sql AS $$
    UPDATE jobs_store.job AS j SET lease_until = clock_timestamp() - p_age WHERE j.id = fixture.job(p_key);
$$;

-- One step of at most so many pages; the outcome.
CREATE FUNCTION fixture.advance(p_key text DEFAULT 'job', p_pages integer DEFAULT 1000)
RETURNS text LANGUAGE sql AS $$
    SELECT a.outcome FROM jobs.advance(fixture.job(p_key), fixture.lease(p_key), p_pages, '1 minute') AS a;
$$;

-- Asks for a cancellation; the outcome.
CREATE FUNCTION fixture.cancel(p_key text DEFAULT 'job', p_who text DEFAULT 'ada')
RETURNS text LANGUAGE sql AS $$
    SELECT c.outcome
    FROM jobs.cancel_job(fixture.session(p_who), fixture.id('main'), fixture.job(p_key), '192.0.2.2') AS c;
$$;

-- Takes the right away, in each of the three ways.
CREATE PROCEDURE fixture.revoke(p_who text, p_way text DEFAULT 'membership') LANGUAGE sql AS $$
    UPDATE hub_store.app_user AS u SET enabled = false WHERE u.id = fixture.id(p_who) AND p_way = 'user';
    UPDATE hub_store.membership AS m SET enabled = false WHERE m.user_id = fixture.id(p_who) AND p_way = 'membership';
    UPDATE hub_store.membership AS m SET role = 'editor' WHERE m.user_id = fixture.id(p_who) AND p_way = 'role';
$$;

CREATE FUNCTION fixture.state(p_key text DEFAULT 'job') RETURNS text LANGUAGE sql AS $$
    SELECT j.state FROM jobs_store.job AS j WHERE j.id = fixture.job(p_key);
$$;

CREATE FUNCTION fixture.version(p_key text DEFAULT 'job') RETURNS bigint LANGUAGE sql AS $$
    SELECT j.version FROM jobs_store.job AS j WHERE j.id = fixture.job(p_key);
$$;

CREATE FUNCTION fixture.failure(p_key text DEFAULT 'job') RETURNS text LANGUAGE sql AS $$
    SELECT j.failure ->> 'code' FROM jobs_store.job AS j WHERE j.id = fixture.job(p_key);
$$;

-- "processed/total changed+skipped+failed".
CREATE FUNCTION fixture.progress(p_key text DEFAULT 'job') RETURNS text LANGUAGE sql AS $$
    SELECT format('%s/%s %s+%s+%s', j.processed, j.total, j.changed, j.skipped, j.failed)
    FROM jobs_store.job AS j
    WHERE j.id = fixture.job(p_key);
$$;

CREATE FUNCTION fixture.snapshot(p_key text DEFAULT 'job') RETURNS jsonb LANGUAGE sql AS $$
    SELECT jobs._snapshot(fixture.job(p_key))::jsonb;
$$;

-- The audit events of a job, oldest first: "queued by user, claimed by worker".
CREATE FUNCTION fixture.events(p_key text DEFAULT 'job') RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(substr(a.event, 5) || ' by ' || a.by, ', ' ORDER BY a.id)
    FROM jobs_store.audit_event AS a
    WHERE a.job_id = fixture.job(p_key);
$$;

-- "page code, page code" of a job.
CREATE FUNCTION fixture.errors(p_key text DEFAULT 'job') RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(ltrim(right(e.page_id::text, 12), '0') || ' ' || e.code, ', ' ORDER BY e.page_id)
    FROM jobs_store.page_error AS e
    WHERE e.job_id = fixture.job(p_key);
$$;

CREATE FUNCTION fixture.tags(p_number integer) RETURNS text[] LANGUAGE sql AS $$
    SELECT p.tags FROM hub_store.page AS p WHERE p.id = fixture.page(p_number);
$$;

-- Terminal jobs of the past, or pending ones, made without any call.
CREATE PROCEDURE fixture.fill(
    p_jobs integer,
    p_who text,
    p_state text,
    p_age interval DEFAULT '0',
    p_workspace text DEFAULT 'main'
) LANGUAGE sql AS $$
    INSERT INTO jobs_store.job
        (workspace_id, kind, itemised, state, actor_id, actor_name, idempotency_key, request, labels,
         max_attempts, failure, cancel_requested_at, notified_at, created_at, finished_at)
    SELECT fixture.id(p_workspace), 'course_tagging', true, p_state, fixture.id(p_who), p_who,
           gen_random_uuid()::text, fixture.tagging() - 'kind', '{}', 3,
           CASE WHEN p_state = 'failed' THEN jobs._failure('worker_error') END,
           CASE WHEN p_state = 'cancelled' THEN c.at END, c.at, c.at, CASE WHEN p_state <> 'queued' THEN c.at END
    FROM generate_series(1, p_jobs), (SELECT clock_timestamp() - p_age AS at) AS c;
$$;

-- Everything that a refusal must leave as it was, remembered until the end of the transaction; that it was
-- refused may be on the trail.
CREATE FUNCTION fixture.everything() RETURNS text LANGUAGE sql AS $$
    SELECT md5(concat(
        (SELECT string_agg(t::text, ';' ORDER BY t.id) FROM jobs_store.job AS t),
        (SELECT string_agg(t::text, ';' ORDER BY t.job_id, t.chunk) FROM jobs_store.worklist AS t),
        (SELECT string_agg(t::text, ';' ORDER BY t.job_id, t.page_id) FROM jobs_store.page_error AS t),
        (SELECT string_agg(t::text, ';' ORDER BY t.id) FROM jobs_store.audit_event AS t
            WHERE t.event NOT LIKE '%\_refused'),
        (SELECT string_agg(t::text, ';' ORDER BY t.id) FROM hub_store.page AS t)));
$$;

CREATE PROCEDURE fixture.remember() LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('fixture.everything', fixture.everything(), true);
END;
$$;

CREATE FUNCTION fixture.unchanged() RETURNS boolean LANGUAGE sql AS $$
    SELECT fixture.everything() = current_setting('fixture.everything');
$$;

-- How many rows of a table a statement reads, under the worse of the two kinds of plan that a connection
-- may come to keep for the queries in our functions.
CREATE FUNCTION fixture.reads(p_statement text, p_table regclass DEFAULT 'jobs_store.job')
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_mode text;
    v_before bigint;
    v_reads bigint := 0;
BEGIN
    FOREACH v_mode IN ARRAY '{force_custom_plan,force_generic_plan}'::text[] LOOP
        PERFORM set_config('plan_cache_mode', v_mode, true);
        SELECT s.seq_tup_read + coalesce(s.idx_tup_fetch, 0) INTO v_before
        FROM pg_stat_xact_user_tables AS s
        WHERE s.relid = p_table;
        EXECUTE p_statement;
        SELECT greatest(v_reads, s.seq_tup_read + coalesce(s.idx_tup_fetch, 0) - v_before) INTO v_reads
        FROM pg_stat_xact_user_tables AS s
        WHERE s.relid = p_table;
    END LOOP;
    PERFORM set_config('plan_cache_mode', 'auto', true);
    RETURN v_reads;
END;
$$;
