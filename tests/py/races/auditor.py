"""The auditor: all that must hold in a database at rest, whatever happened to it.

``watch`` puts a logbook beside the tables (triggers of the test's own), so that the auditor judges not only
where the rows are but how they came there. ``audit`` then names every rule that is broken.
"""

from typing import Any

import psycopg

Connection = psycopg.Connection[Any]

_WATCH = """
CREATE SCHEMA logbook;
CREATE TABLE logbook.job_change (
    place bigint GENERATED ALWAYS AS IDENTITY, job_id uuid, old jsonb, new jsonb);
CREATE TABLE logbook.page_change (
    page_id uuid, gained text[], same_text boolean, old_etag uuid, new_etag uuid);
CREATE TABLE logbook.admission (job_id uuid, allowed boolean);
CREATE FUNCTION logbook.log_admission() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO logbook.admission
    SELECT new.id, EXISTS (
        SELECT FROM hub_store.membership m JOIN hub_store.app_user u ON u.id = m.user_id
        WHERE (m.workspace_id, m.user_id, m.role) = (new.workspace_id, new.actor_id, 'administrator')
          AND m.enabled AND u.enabled);
    RETURN NULL;
END $$;
CREATE TRIGGER zz_log_admission AFTER INSERT ON jobs_store.job
    FOR EACH ROW EXECUTE FUNCTION logbook.log_admission();
CREATE TABLE logbook.revocation (at timestamptz DEFAULT clock_timestamp());
CREATE FUNCTION logbook.log_job() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO logbook.job_change (job_id, old, new) VALUES (new.id, to_jsonb(old), to_jsonb(new));
    RETURN NULL;
END $$;
CREATE TRIGGER zz_log_job AFTER UPDATE ON jobs_store.job FOR EACH ROW EXECUTE FUNCTION logbook.log_job();
CREATE FUNCTION logbook.log_page() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO logbook.page_change (page_id, gained, same_text, old_etag, new_etag)
    VALUES (new.id, ARRAY(SELECT unnest(new.tags) EXCEPT SELECT unnest(old.tags)),
            (old.title, old.content) = (new.title, new.content), old.etag, new.etag);
    RETURN NULL;
END $$;
CREATE TRIGGER zz_log_page AFTER UPDATE ON hub_store.page FOR EACH ROW EXECUTE FUNCTION logbook.log_page();
"""

# Each query gives one row of text for each breach.
_RULES = {
    "A1: a job has one job.queued event, its first": """
        SELECT j.id FROM jobs_store.job j
        WHERE (SELECT a.event FROM jobs_store.audit_event a WHERE a.job_id = j.id ORDER BY a.id LIMIT 1)
              IS DISTINCT FROM 'job.queued'
           OR (SELECT count(*) FROM jobs_store.audit_event a
               WHERE a.job_id = j.id AND a.event = 'job.queued') <> 1""",
    "A1, T1: the worklist is whole until the end, then gone": """
        SELECT j.id FROM jobs_store.job j
        WHERE (SELECT coalesce(sum(cardinality(w.page_ids)), 0)
               FROM jobs_store.worklist w WHERE w.job_id = j.id)
              <> CASE WHEN j.finished_at IS NULL AND j.itemised THEN j.total ELSE 0 END""",
    "A3: no more pending jobs than a workspace may have": """
        SELECT j.workspace_id FROM jobs_store.job j WHERE j.finished_at IS NULL GROUP BY 1
        HAVING count(*) > (
            SELECT s.value FROM jobs_store.setting s WHERE s.name = 'MaxPendingPerWorkspace')""",
    "A3: no more pending jobs than an actor may have in a workspace": """
        SELECT j.actor_id FROM jobs_store.job j WHERE j.finished_at IS NULL
        GROUP BY j.workspace_id, j.actor_id
        HAVING count(*) > (SELECT s.value FROM jobs_store.setting s WHERE s.name = 'MaxPendingPerActor')""",
    "A3: no more jobs in a day than a workspace may create": """
        SELECT j.workspace_id FROM jobs_store.job j
        WHERE j.created_at > clock_timestamp() - interval '24 hours'
        GROUP BY 1
        HAVING count(*) > (SELECT s.value FROM jobs_store.setting s WHERE s.name = 'MaxCreatedPerDay')""",
    "E3: processed = changed + skipped + failed": """
        SELECT j.id FROM jobs_store.job j
        WHERE j.processed <> j.changed + j.skipped + j.failed AND j.itemised""",
    "E3: the counter of changed pages is the number of pages that gained the job's tag": """
        SELECT j.id FROM jobs_store.job j
        WHERE j.kind = 'course_tagging' AND j.changed <> (
            SELECT count(*) FROM logbook.page_change c WHERE c.gained && ARRAY[j.request -> 'tags' ->> 0])""",
    "E3: no page gains a tag twice": """
        SELECT c.page_id FROM logbook.page_change c, unnest(c.gained) AS t (tag) GROUP BY c.page_id, t.tag
        HAVING count(*) > 1""",
    "E2: a tagging never touches title or content, and gives a new etag": """
        SELECT c.page_id FROM logbook.page_change c
        WHERE (NOT c.same_text OR c.old_etag = c.new_etag)
          AND EXISTS (SELECT FROM jobs_store.job j WHERE c.gained && ARRAY[j.request -> 'tags' ->> 0])""",
    "E3: page errors are counted": """
        SELECT j.id FROM jobs_store.job j
        WHERE least(j.failed, 100) <> (SELECT count(*) FROM jobs_store.page_error e WHERE e.job_id = j.id)""",
    "E5: attempt counts the claims that were not given back": """
        SELECT j.id FROM jobs_store.job j
        WHERE j.attempt <> (
            SELECT count(*) FILTER (WHERE a.event IN ('job.claimed', 'job.reclaimed'))
                   - count(*) FILTER (WHERE a.event = 'job.released')
            FROM jobs_store.audit_event a WHERE a.job_id = j.id)""",
    "C1, U1: one cancel request, one event": """
        SELECT j.id FROM jobs_store.job j
        WHERE (j.cancel_requested_at IS NOT NULL)::integer <> (
            SELECT count(*) FROM jobs_store.audit_event a
            WHERE a.job_id = j.id AND a.event = 'job.cancel_requested')""",
    "C3: a request ends in cancelled, nothing else": """
        SELECT j.id FROM jobs_store.job j
        WHERE j.cancel_requested_at IS NOT NULL AND j.state NOT IN ('running', 'cancelled')""",
    "C3, U1: one terminal event, of the terminal state, the last of all": """
        SELECT j.id FROM jobs_store.job j
        WHERE j.finished_at IS NOT NULL AND (
            (SELECT array_agg(a.event) FROM jobs_store.audit_event a
             WHERE a.job_id = j.id AND a.event IN ('job.succeeded', 'job.failed', 'job.cancelled'))
                IS DISTINCT FROM ARRAY['job.' || j.state]
            OR (SELECT a.event FROM jobs_store.audit_event a
                WHERE a.job_id = j.id AND a.event LIKE 'job.%' ORDER BY a.id DESC LIMIT 1)
                <> 'job.' || j.state)""",
    "U1: no terminal event before the end": """
        SELECT j.id FROM jobs_store.job j
        WHERE j.finished_at IS NULL AND EXISTS (
            SELECT FROM jobs_store.audit_event a
            WHERE a.job_id = j.id AND a.event IN ('job.succeeded', 'job.failed', 'job.cancelled'))""",
    "U1: every change of state has one event": """
        SELECT j.id FROM jobs_store.job j
        WHERE (SELECT count(*) FROM logbook.job_change c
               WHERE c.job_id = j.id AND (c.old ->> 'state', c.old ->> 'lease')
                     IS DISTINCT FROM (c.new ->> 'state', c.new ->> 'lease'))
              <> (SELECT count(*) FROM jobs_store.audit_event a
                  WHERE a.job_id = j.id AND a.event LIKE 'job.%'
                    AND a.event NOT IN ('job.queued', 'job.cancel_requested'))""",
    "U1: an archive is deleted once, and not downloaded after that": """
        SELECT a.job_id FROM jobs_store.audit_event a
        WHERE a.event LIKE 'backup.%' AND EXISTS (
            SELECT FROM jobs_store.audit_event d
            WHERE d.job_id = a.job_id AND d.event = 'backup.deleted' AND d.id < a.id)""",
    "a job moves only along the arrows": """
        SELECT c.job_id FROM logbook.job_change c
        WHERE (c.old ->> 'state', c.new ->> 'state') NOT IN (
            ('queued', 'queued'), ('queued', 'running'), ('queued', 'cancelled'), ('running', 'running'),
            ('running', 'queued'), ('running', 'succeeded'), ('running', 'failed'),
            ('running', 'cancelled'))""",
    "E3: counters and position never fall": """
        SELECT c.job_id FROM logbook.job_change c
        WHERE (c.new ->> 'itemised')::boolean AND (
            (c.new ->> 'processed')::integer < (c.old ->> 'processed')::integer
            OR (c.new ->> 'changed')::integer < (c.old ->> 'changed')::integer
            OR (c.new ->> 'skipped')::integer < (c.old ->> 'skipped')::integer
            OR (c.new ->> 'failed')::integer < (c.old ->> 'failed')::integer)""",
    "V1: the version rises with every change that shows, and only then": """
        SELECT c.job_id
        FROM logbook.job_change c, (VALUES (
            '{version,lease,lease_until,lease_seconds,worker,page_locked_since,notified_at}'::text[]
        )) AS u (unseen)
        WHERE ((c.new ->> 'version')::bigint > (c.old ->> 'version')::bigint)
              = (c.old - u.unseen = c.new - u.unseen)
           AND (c.old ->> 'state', c.new ->> 'state') <> ('queued', 'queued')""",
    "V1: versions are given in the order of the changes": """
        SELECT c.job_id FROM (
            SELECT c.job_id, (c.new ->> 'version')::bigint AS version,
                   lag((c.new ->> 'version')::bigint) OVER (PARTITION BY c.job_id ORDER BY c.place) AS before
            FROM logbook.job_change c) AS c
        WHERE c.version < c.before""",
    "A5: whoever created a job was an enabled administrator then": """
        SELECT a.job_id FROM logbook.admission a WHERE NOT a.allowed""",
}


def watch(owner: Connection) -> None:
    """Put the logbook beside the tables of a test's database."""
    owner.execute(_WATCH)


def audit(owner: Connection) -> list[str]:
    """Return the rules that are broken, each with the row that breaks it; nothing may be in progress."""
    breaches = []
    for rule, query in _RULES.items():
        breaches += [f"{rule}: {row[0]}" for row in owner.execute(query).fetchall()]
    return breaches
