"""The schema as pg_dump shows it; ``python -m tests.schema`` writes it to docs/schema.sql."""

import re
import subprocess
import tempfile
from pathlib import Path

from knowledgehub.embedded import SUPERUSER, wheel_bin_dir
from knowledgehub.migrate import create_roles, migrate
from tests.server import running_server

FILE = Path(__file__).parents[1] / "docs/schema.sql"

_SCHEMAS = ("hub", "hub_store", "jobs", "jobs_store")
_HEADER = """\
-- Schemas, tables, indexes, constraints and triggers, as PostgreSQL 18's pg_dump shows a migrated database.
-- For reading and for comparing; made by `make schema`, never edited. Functions are in sql/functions.
"""
# What differs from run to run, or is the same in every dump.
_NOISE = re.compile(r"^(--|\\(un)?restrict |SET |SELECT pg_catalog\.set_config).*\n", re.MULTILINE)


def dump(url: str) -> str:
    """Return the schema of the database at ``url``, which is on the embedded server."""
    with tempfile.TemporaryDirectory() as folder:
        archive, entries = Path(folder, "archive"), Path(folder, "entries")
        schemas = [f"--schema={schema}" for schema in _SCHEMAS]
        _run("pg_dump", "--format=custom", "--schema-only", *schemas, f"--file={archive}", url)
        listed = _run("pg_restore", "--list", str(archive)).splitlines()
        entries.write_text("\n".join(line for line in listed if " FUNCTION " not in line))
        text = _run("pg_restore", f"--use-list={entries}", "--file=-", str(archive))
    statements = re.sub(r"\n{2,}", "\n\n", _NOISE.sub("", text)).strip()
    return f"{_HEADER}\n{statements}\n"


def _run(program: str, *arguments: str) -> str:
    command = [str(wheel_bin_dir() / program), *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    with running_server() as server:
        server.create_database("hub_schema", "template0")
        create_roles(server.url(SUPERUSER, "hub_schema"))
        migrate(server.url("hub_migrator", "hub_schema"))
        FILE.write_text(dump(server.url(SUPERUSER, "hub_schema")), encoding="utf-8")
