"""Tabs of one browser profile, watched for what must never happen."""

from typing import Any
from uuid import UUID

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, Response

from tests.py.api.conftest import Place
from tests.py.api.hub import Person

WIDTH, HEIGHT = 1280, 800


class Tabs:
    """Opens tabs of one profile; keeps faults: script errors, breaches of the policy, requests elsewhere."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._context: BrowserContext | None = None
        self._origin = ""
        self.faults: list[str] = []
        self.requests: list[Request] = []

    def open(self, place: Place, path: str = "", *, person: Person | None = None, **options: Any) -> Page:  # noqa: ANN401 (Playwright's own)
        """Open a tab, signed in, at a path below the workspace."""
        page = self.blank(place, **options)
        self.sign_in(place, person or place.administrator)
        page.goto(f"/workspaces/{place.workspace}{path}")
        return page

    def blank(self, place: Place, **options: Any) -> Page:  # noqa: ANN401 (likewise)
        """Open an empty tab; `options` are those of the profile, if it is the first."""
        if self._context is None:
            self._origin = options.setdefault("base_url", place.api.origin)
            options.setdefault("viewport", {"width": WIDTH, "height": HEIGHT})
            self._context = self._browser.new_context(**options)
            self._context.set_default_timeout(10_000)
            self._context.on("request", self._on_request)
            self._context.on("weberror", lambda error: self.faults.append(str(error.error)))
            self._context.on("console", self._on_console)
        return self._context.new_page()

    def sign_in(self, place: Place, person: Person) -> str:
        """Put a new session into the profile; return its token."""
        token = place.hub.sign_in(person)
        assert self._context is not None
        self._context.add_cookies([{"name": "session", "value": token, "url": self._origin}])
        return token

    def sent(self, method: str, end: str) -> list[Request]:
        """Return the requests so far whose path ends so."""
        return [
            request
            for request in self.requests
            if request.method == method and request.url.partition("?")[0].endswith(end)
        ]

    def close(self) -> None:
        """Close them all."""
        if self._context is not None:
            self._context.close()

    def _on_request(self, request: Request) -> None:
        self.requests.append(request)
        if not request.url.startswith((self._origin + "/", "data:", "blob:")):
            self.faults.append(f"a request to {request.url}")

    def _on_console(self, message: ConsoleMessage) -> None:
        # A refused request is an error on the console, too, and may be what a test is about.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.faults.append(message.text)


def job_path(job: UUID) -> str:
    """Return the address of a job's view below its workspace."""
    return f"/jobs/{job}"


def answer(page: Page, method: str, end: str) -> Any:  # noqa: ANN401 (a context manager of Playwright's)
    """Expect the answer to a request within the block."""

    def wanted(response: Response) -> bool:
        path = response.url.partition("?")[0]
        return response.request.method == method and path.endswith(end)

    return page.expect_response(wanted)
