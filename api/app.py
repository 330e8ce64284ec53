"""The application: which resource is where."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import falcon.asgi
from falcon.asgi import Request, Response
from falcon.routing import BaseConverter
from psycopg_pool import AsyncConnectionPool

from api.address import AddressResolver
from api.backups import Archive
from api.calls import Calls
from api.content import Courses, Page, Pages, Workspaces
from api.cookies import SessionCookie
from api.feed import Feed
from api.guard import Guard
from api.health import Healthz, Readyz
from api.jobs import Cancel, Entries, Job, Jobs, TaggingPreview
from api.lifecycle import Lifecycle
from api.metrics import Metrics
from api.openapi import OpenApi
from api.passwords import Passwords
from api.problems import ErrorHandlers, ProblemPage
from api.query import UUID_TEXT
from api.sessions import Session
from api.static_files import Index, StaticFile, StaticFiles
from api.stream import JobEvents


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What the resources work with."""

    public_origin: str
    resolver: AddressResolver
    pool: AsyncConnectionPool
    calls: Calls
    feed: Feed
    passwords: Passwords
    files: StaticFiles
    backup_dir: Path | None
    metrics_token: str | None = None


class IdConverter(BaseConverter):
    """A path segment that is a UUID as this API writes it (any case); other segments lead nowhere."""

    def convert(self, value: str) -> UUID | None:
        """Return the UUID, or None."""
        return UUID(value) if UUID_TEXT.fullmatch(value) else None


def create_app(dependencies: Dependencies) -> falcon.asgi.App[Request, Response]:
    """Wire the resources to their addresses."""
    calls, feed, files = dependencies.calls, dependencies.feed, dependencies.files
    cookie = SessionCookie(dependencies.public_origin)
    middleware: list[Any] = [
        Lifecycle(dependencies.pool, feed),
        Guard(calls, cookie, dependencies.resolver, dependencies.public_origin),
    ]
    app = falcon.asgi.App(middleware=middleware)
    ErrorHandlers(dependencies.public_origin).add_to(app)
    app.router_options.converters["id"] = IdConverter

    workspace = "/api/workspaces/{workspace:id}"
    job = f"{workspace}/jobs/{{job:id}}"
    index = Index(files)
    routes: dict[str, Any] = {
        "/api/session": Session(calls, dependencies.passwords, cookie),
        "/api/workspaces": Workspaces(calls),
        f"{workspace}/courses": Courses(calls),
        f"{workspace}/courses/{{course:id}}/tagging-preview": TaggingPreview(calls),
        f"{workspace}/pages": Pages(calls),
        f"{workspace}/pages/{{page:id}}": Page(calls),
        f"{workspace}/jobs": Jobs(calls),
        job: Job(calls),
        f"{job}/events": JobEvents(calls, feed),
        f"{job}/cancel": Cancel(calls),
        f"{job}/errors": Entries(calls.list_page_errors),
        f"{job}/audit": Entries(calls.list_job_audit),
        f"{workspace}/audit": Entries(calls.list_audit),
        f"{workspace}/backups": Entries(calls.list_backups),
        f"{workspace}/backups/{{job:id}}/archive": Archive(calls, dependencies.backup_dir),
        "/problems/{slug}": ProblemPage(),
        "/openapi.json": OpenApi(dependencies.public_origin, cookie.name),
        "/metrics": Metrics(dependencies.metrics_token, feed),
        "/healthz": Healthz(),
        "/readyz": Readyz(calls, feed),
        "/": index,
        "/workspaces/{workspace:id}": index,
        "/workspaces/{workspace:id}/jobs/{job:id}": index,
        "/workspaces/{workspace:id}/courses": index,
        "/workspaces/{workspace:id}/pages/{page:id}": index,
        "/workspaces/{workspace:id}/backups": index,
        "/workspaces/{workspace:id}/audit": index,
        "/static/{digest}/{name:path}": StaticFile(files),
    }
    for address, resource in routes.items():
        app.add_route(address, resource)
    return app
