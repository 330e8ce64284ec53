"""``make screenshots``: a picture of each view of the page, to be looked at.

Light and dark, 1440, 360 and 2560 pixels wide, and narrow with text of twice the size.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

from knowledgehub.embedded import SUPERUSER
from knowledgehub.migrate import create_roles, migrate
from tests.py.api.hub import Hub
from tests.py.api.process import ApiProcess
from tests.py.browser.chromium import running_chromium
from tests.py.browser.scene import Scene, build_scene
from tests.py.browser.views import VIEWS
from tests.server import Database, running_server

FOLDER = Path("screenshots")
SIZES = {"wide": 1440, "narrow": 360, "widest": 2560}
HEIGHT = 900


@contextmanager
def served(folder: Path) -> Iterator[tuple[Hub, ApiProcess]]:
    """Serve the page from a new database."""
    with running_server() as server:
        database = Database(server, "hub_screenshots")
        server.create_database(database.name, "template0")
        create_roles(database.url(SUPERUSER))
        migrate(database.url("hub_migrator"))
        api = ApiProcess(folder / "api.log", database.url("hub_api"))
        try:
            api.wait_until("/readyz")
            yield Hub(database), api
        finally:
            api.kill()
            database.close()


def take(browser: Browser, api: ApiProcess, token: str, scene: Scene, folder: Path) -> None:
    """Take every picture."""
    for scheme in ("light", "dark"):
        for size, width in SIZES.items():
            context = browser.new_context(
                viewport={"width": width, "height": HEIGHT},
                color_scheme=scheme,
                base_url=api.origin,
            )
            for name, view in VIEWS.items():
                context.clear_cookies()
                if view.signed_in:
                    context.add_cookies([{"name": "session", "value": token, "url": api.origin}])
                page: Page = context.new_page()
                view.open(page, scene)
                page.screenshot(path=folder / f"{name}-{size}-{scheme}.png", full_page=True)
                page.close()
            context.close()


def main() -> int:
    """Take the pictures and say where they are."""
    FOLDER.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as logs,
        served(Path(logs)) as (hub, api),
        running_chromium() as browser,
    ):
        scene = build_scene(hub)
        take(browser, api, hub.sign_in(scene.administrator), scene, FOLDER)
    print(f"{len(list(FOLDER.glob('*.png')))} pictures are in {FOLDER}/")  # noqa: T201 (what was asked for)
    return 0


if __name__ == "__main__":
    sys.exit(main())
