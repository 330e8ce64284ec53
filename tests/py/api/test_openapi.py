"""/openapi.json is true: it has the routes there are, and a client made of it finds nothing else."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from falcon.inspect import inspect_routes

from api.address import AddressResolver
from api.app import Dependencies, create_app
from api.calls import Calls
from api.feed import Feed
from api.openapi import document
from api.passwords import Passwords
from api.static_files import StaticFiles
from knowledgehub.configuration import TrustedProxies
from tests.py.api.conftest import Place, StartApi, make_place
from tests.py.api.hub import Hub, csrf_token

# Of every operation so many requests are made up, beside those that the document's limits suggest.
EXAMPLES = 5
SECONDS = 240

CONFIGURATION = """
[generation]
allow-x00 = false
database = "none"

[checks.positive_data_acceptance]
# What is right by its form may still meet what is stored: another ETag, a used key, a course of elsewhere.
expected-statuses = ["2xx", "304", "401", "403", "404", "409", "412", "422", "429"]

[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "412", "413", "415", "422", "428", "429"]

[checks.missing_required_header]
expected-statuses = ["400", "401", "403", "428"]

[parameters]
"path.workspace" = "{workspace}"
"path.course" = "{course}"
"path.page" = "{page}"
"path.job" = "{job}"
"""


def try_out(place: Place, folder: Path, more: str = "", *arguments: str) -> None:
    """Run schemathesis against the server with all its checks; fail when it finds anything."""
    place.hub.complete(place.hub.add_job(place.administrator, place.workspace, place.course))
    job = place.hub.add_job(place.administrator, place.workspace, place.course, "more")
    configuration = folder / "schemathesis.toml"
    configuration.write_text(
        more
        + CONFIGURATION.format(
            workspace=place.workspace,
            course=place.course,
            page=place.hub.pages(place.course)[0]["id"],
            job=job,
        )
    )
    command = [str(Path(sys.executable).parent / "schemathesis"), "--config-file", str(configuration), "run"]
    command += [f"{place.api.address}/openapi.json", "--checks", "all", "--max-examples", str(EXAMPLES)]
    # The stream has no end: it has tests of its own.
    command += [
        "--exclude-operation-id",
        "streamJob",
        "--warnings",
        "off",
        "--no-color",
        *arguments,
    ]
    run = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, timeout=SECONDS)
    assert run.returncode == 0, run.stdout + run.stderr
    print(run.stdout)  # noqa: T201 (shown when the test fails, and with -rP)


def test_the_document_has_the_routes_and_methods_that_the_api_has() -> None:
    """All but what is for people (the page, problems) or for the operator; HEAD goes with GET."""
    calls = Calls(None)  # type: ignore[arg-type]
    app = create_app(
        Dependencies(
            public_origin="http://localhost",
            resolver=AddressResolver(TrustedProxies()),
            pool=None,  # type: ignore[arg-type]
            calls=calls,
            feed=Feed(calls, "", {}),
            passwords=Passwords(),
            files=StaticFiles(),
            backup_dir=None,
        )
    )
    served = {
        re.sub(r":\w+\}", "}", route.path): {
            method.method.lower() for method in route.methods if method.function_name.startswith("on_")
        }
        - {"head"}
        for route in inspect_routes(app)
        if not re.match(r"/$|/static/|/problems/|/workspaces/|/openapi.json|/metrics", route.path)
    }
    paths = document("http://localhost", "session")["paths"]
    assert {path: operations.keys() - {"parameters"} for path, operations in paths.items()} == served


@pytest.fixture
def full_place(own_hub: Hub, start_api: StartApi, tmp_path: Path) -> Place:
    """A workspace at a process that has everything it may have."""
    return make_place(own_hub, start_api(KNOWLEDGEHUB_BACKUP_DIR=str(tmp_path)))


def test_a_client_made_of_it_that_is_signed_in_finds_nothing_wrong(full_place: Place, tmp_path: Path) -> None:
    """Signing out would end the session of the rest: it is tried without one, and in tests of its own."""
    for limit in (
        "MaxPendingPerWorkspace",
        "MaxPendingPerActor",
        "MaxCreatedPerDay",
        "CreationsPerMinutePerAddress",
    ):
        full_place.hub.set(limit, 1_000_000)
    token = full_place.client.token
    assert token
    signed_in = f'[auth.openapi.session]\napi_key = "{token}"\n'
    signed_in += f'[headers]\nX-CSRF-Token = "{csrf_token(token)}"\n'
    excluded = [word for one in ("signIn", "signOut") for word in ("--exclude-operation-id", one)]
    try_out(full_place, tmp_path, signed_in, *excluded)
    assert len(full_place.hub.jobs(full_place.workspace)) > 2, "it was let in and made jobs"


def test_a_client_made_of_it_without_a_session_finds_nothing_wrong(full_place: Place, tmp_path: Path) -> None:
    try_out(full_place, tmp_path)
