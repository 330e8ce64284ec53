"""PL/pgSQL as plpgsql_check sees it, with all its warnings. It is there for Debian's server only."""

from tests.server import Database

COULD_BE_STABLE = "routine is marked as VOLATILE, should be STABLE"
MUST_NOT_BE = {
    # They answer from what is committed now, not from what the caller's statement began with.
    "hub._is_administrator",
    "hub._list_workspaces_of",
    "hub.find_credentials",
    "hub.list_all_workspaces",
    "hub.list_sign_in_refusals",
    "jobs._audit_page",
    "jobs._list_jobs",
    "jobs._next_pages",
    "jobs._read_job",
    "jobs.judge_archives",
    # It calls functions of kinds, which may write.
    "jobs._call_kind",
}

# Answers have one shape, whether or not a function has something for each column.
_FINDINGS = """
    SELECT n.nspname || '.' || p.proname, f.lineno, f.level, f.message, f.detail, f.query
    FROM pg_proc AS p
    JOIN pg_namespace AS n ON n.oid = p.pronamespace
    JOIN pg_language AS l ON l.oid = p.prolang
    LEFT JOIN (SELECT DISTINCT t.tgfoid, t.tgrelid FROM pg_trigger AS t) AS t ON t.tgfoid = p.oid,
    LATERAL lint.plpgsql_check_function_tb(
        p.oid::regprocedure, coalesce(t.tgrelid, 0), fatal_errors => false, other_warnings => true,
        extra_warnings => true, performance_warnings => true, security_warnings => true,
        compatibility_warnings => true) AS f
    WHERE n.nspname IN ('hub', 'jobs') AND l.lanname = 'plpgsql'
        AND NOT (f.message IN ('unmodified OUT variable "detail"', 'unmodified OUT variable "body"')
            AND pg_get_function_result(p.oid) = 'TABLE(outcome text, detail jsonb, body text)')
"""


def test_plpgsql_check_has_nothing_to_say(database: Database) -> None:
    connection = database.as_superuser()
    connection.execute("CREATE SCHEMA lint; CREATE EXTENSION plpgsql_check SCHEMA lint")
    findings = connection.execute(_FINDINGS).fetchall()
    assert [finding for finding in findings if finding[3] != COULD_BE_STABLE] == []
    assert {finding[0] for finding in findings} == MUST_NOT_BE
