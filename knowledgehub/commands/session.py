"""Where a command finds the database."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import click
import psycopg

from knowledgehub import configuration
from knowledgehub.calls import Operator
from knowledgehub.commands.refusal import Refusal
from knowledgehub.configuration import URL_VARIABLES, Configuration
from knowledgehub.database import connection_arguments
from knowledgehub.embedded import EmbeddedServer


class WorkspaceParameter(click.types.UUIDParameterType):
    """The id of a workspace; a title given instead is answered with where the ids are."""

    def convert(self, value: str | UUID, param: click.Parameter | None, ctx: click.Context | None) -> UUID:
        """Read the id."""
        try:
            return UUID(str(value).strip())
        except ValueError:
            self.fail(f"{value!r} is not a valid UUID: see `knowledgehub workspace list`", param, ctx)


def load() -> Configuration:
    """Read the configuration from this process's environment. Raises ``ConfigurationError``."""
    return configuration.load(os.environ)


@contextmanager
def database_url(variable: str, role: str) -> Iterator[str]:
    """Give the URL in ``variable``, or that of ``role`` at the embedded server, which runs for the block.

    The embedded server is used only where the environment names no database at all: a forgotten variable is
    no reason to write to another database. Nor is one made: a wrong DATA_DIR would leave it behind, empty.
    Raises :class:`Refusal`, ``ConfigurationError``, ``EmbeddedError``.
    """
    settings = load()
    if variable in os.environ:
        yield os.environ[variable]
        return
    require_no_url(f"{variable} is not set")
    embedded = EmbeddedServer(settings.data_dir)
    embedded.require_made()
    with embedded.running() as server:
        yield server.url(role)


def require_no_url(reason: str) -> None:
    """Raise :class:`Refusal` if the environment names any database."""
    for name in URL_VARIABLES:
        if name in os.environ:
            raise Refusal(f"{reason}, but {name} is: set both, or neither to use the embedded database")


def backup_dir() -> Path | None:
    """Return the folder of archives: the one named, else the embedded server's; None if it is not known."""
    settings = load()
    if settings.backup_dir is None and "KNOWLEDGEHUB_OPERATOR_URL" not in os.environ:
        return settings.data_dir / "backups"
    return settings.backup_dir


@contextmanager
def operator() -> Iterator[Operator]:
    """Connect as the operator for the block's length."""
    with (
        database_url("KNOWLEDGEHUB_OPERATOR_URL", "hub_operator") as url,
        psycopg.connect(url, **connection_arguments("knowledgehub operator")) as connection,
    ):
        yield Operator(connection)
