"""``up``, ``migrate``, ``api`` and ``worker``."""

import os
import sys

import click
from setproctitle import setproctitle

from knowledgehub import logs
from knowledgehub import migrate as migration
from knowledgehub import up as supervisor
from knowledgehub.commands.output import json_option, show
from knowledgehub.commands.refusal import Refusal
from knowledgehub.commands.session import database_url, load, require_no_url
from knowledgehub.demo import DemoError
from knowledgehub.embedded import EmbeddedServer
from knowledgehub.parent import end_with
from knowledgehub.up import Ready, UpError

_PARENT_OPTION = click.option("--parent", type=int, hidden=True, help="End when the process of this id does.")


@click.command()
@json_option
def up(as_json: bool) -> None:
    """Run everything on this machine: embedded PostgreSQL, migrate, demo workspace, API, worker.

    TERM or Ctrl-C stops it all.
    """

    def tell(ready: Ready) -> None:
        body = {"address": ready.address, "email": ready.email, "password": ready.password}
        text = (
            f"\nKnowledgeHub is ready at {ready.address}\n"
            f"    e-mail    {ready.email}\n"
            f"    password  {ready.password}\n"
            "Ctrl-C stops it.\n"
        )
        show(as_json, body, text)
        sys.stdout.flush()

    try:
        supervisor.run(load(), os.environ, tell)
    except (UpError, DemoError) as error:
        raise Refusal(str(error)) from error


@click.command()
@json_option
def migrate(as_json: bool) -> None:
    """Bring the database to this version's schema."""
    configuration = load()
    if configuration.owner_url is not None:
        applied = migration.migrate(configuration.owner_url)
    else:
        require_no_url("KNOWLEDGEHUB_OWNER_URL is not set")
        with EmbeddedServer(configuration.data_dir).running() as server:
            migration.create_roles(server.superuser_url)
            applied = migration.migrate(server.url("hub_migrator"))
    text = f"applied {', '.join(applied)}" if applied else "no migration was pending"
    show(as_json, {"applied": applied}, f"{text}; all functions are of this version")


@click.command()
@_PARENT_OPTION
@json_option
def api(parent: int | None, as_json: bool) -> None:  # noqa: ARG001 (its log is JSON anyway)
    """Serve the HTTP API and the page until TERM."""
    _begin("api", parent)
    from api.server import serve  # noqa: PLC0415 (only this command needs it)

    configuration = load()
    # `up` has looked, and a killed API's last process may hold the port for a moment: gunicorn waits for it.
    if parent is None:
        try:
            supervisor.require_free_port(configuration.port)
        except UpError as error:
            raise Refusal(str(error)) from error
    with database_url("KNOWLEDGEHUB_DATABASE_URL", "hub_api") as url:
        serve(url, configuration)


@click.command()
@_PARENT_OPTION
@json_option
def worker(parent: int | None, as_json: bool) -> None:  # noqa: ARG001 (its log is JSON anyway)
    """Run jobs until TERM."""
    _begin("worker", parent)
    from worker.daemon import main  # noqa: PLC0415 (only this command needs it)

    with database_url("KNOWLEDGEHUB_WORKER_URL", "hub_worker") as url:
        status = main(url, load())
    sys.exit(status)


def _begin(process: str, parent: int | None) -> None:
    setproctitle(f"knowledgehub {process}")
    if parent is not None:
        end_with(parent)
    logs.configure(process)
