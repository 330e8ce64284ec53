"""Backups: made, listed, downloaded; with the worker and the archives of this machine."""

import signal
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.py.api.conftest import Place, make_place
from tests.py.api.hub import PASSWORD, Hub
from tests.py.api.process import ApiProcess
from tests.py.browser.tabs import Tabs, job_path
from tests.py.worker.process import COMMAND, WorkerProcess
from tests.server import Database


@pytest.fixture
def backed_up(database: Database, tmp_path: Path) -> Iterator[Place]:
    """A workspace at a server and beside a worker that share a folder of archives."""
    folder = {"KNOWLEDGEHUB_BACKUP_DIR": str(tmp_path / "backups")}
    api = ApiProcess(tmp_path / "api.log", database.url("hub_api"), **folder)
    worker = WorkerProcess(tmp_path / "worker.log", database.url("hub_worker"), COMMAND, folder)
    try:
        api.wait_until("/readyz")
        yield make_place(Hub(database), api)
    finally:
        worker.send(signal.SIGTERM)
        worker.wait(20)
        api.kill()


def make_backup(page: Page) -> None:
    """Start a backup from the view of jobs and wait for its end."""
    page.get_by_role("button", name="Start a backup").dblclick()
    expect(page.locator(".notice").last).to_contain_text("Backup started.")
    expect(page.get_by_role("link", name="Watch it live")).to_be_focused()
    page.get_by_role("link", name="Watch it live").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Backup of the workspace")
    expect(page.locator(".state").first).to_have_text("Succeeded")


def test_a_backup_is_started_once_watched_listed_and_downloaded(
    backed_up: Place, tabs: Tabs, tmp_path: Path
) -> None:
    page = tabs.open(backed_up)
    make_backup(page)
    assert len(backed_up.hub.jobs(backed_up.workspace)) == 1
    panel = page.get_by_role("region", name="Archive")
    expect(panel).to_contain_text("3 pages")
    page.get_by_role("navigation", name="Workspace").get_by_role("link", name="Backups").click()
    row = page.locator(".backups > li")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("just now")
    expect(row).to_contain_text("3 pages")
    expect(row).to_contain_text(f"by {backed_up.administrator.name}")
    with page.expect_download() as downloading:
        row.get_by_role("link", name="Download").click()
    saved = tmp_path / downloading.value.suggested_filename
    downloading.value.save_as(saved)
    assert saved.suffix == ".zip"
    with zipfile.ZipFile(saved) as archive:
        assert sum(name.startswith("courses/") for name in archive.namelist()) == 3
    expect(page.get_by_role("heading", level=1)).to_have_text("Backups")
    page.get_by_role("navigation", name="Workspace").get_by_role("link", name="Audit").click()
    expect(page.locator(".events")).to_contain_text(f"Archive downloadedby {backed_up.administrator.name}")


def test_a_deleted_archive_is_marked_and_refused_in_words(backed_up: Place, tabs: Tabs) -> None:
    page = tabs.open(backed_up)
    make_backup(page)
    job = backed_up.hub.jobs(backed_up.workspace)[0]["id"]
    backed_up.hub.delete_archive(job)
    page.get_by_role("region", name="Archive").get_by_role("link").click()
    expect(page.get_by_role("alert")).to_contain_text("deleted")
    page.reload()
    panel = page.get_by_role("region", name="Archive")
    expect(panel).to_contain_text("Deleted")
    expect(panel.get_by_role("link")).to_have_count(0)
    page.get_by_role("navigation", name="Workspace").get_by_role("link", name="Backups").click()
    row = page.locator(".backups > li")
    expect(row).to_contain_text("Deleted")
    expect(row.get_by_role("link", name="Download")).to_have_count(0)
    page.goto(f"/workspaces/{backed_up.workspace}/audit")
    expect(page.locator(".events")).to_contain_text("Archive deletedby the operator, on the command line")


def test_who_is_signed_out_before_a_download_signs_in_and_gets_it(backed_up: Place, tabs: Tabs) -> None:
    page = tabs.open(backed_up)
    make_backup(page)
    backed_up.hub.set_enabled(backed_up.administrator, False)
    backed_up.hub.set_enabled(backed_up.administrator, True)
    with page.expect_download() as downloading:
        page.get_by_role("region", name="Archive").get_by_role("link").click()
        dialog = page.get_by_role("dialog", name="Sign in again")
        dialog.get_by_label("E-mail").fill(backed_up.administrator.email)
        dialog.get_by_label("Password").fill(PASSWORD)
        dialog.get_by_role("button", name="Sign in").click()
    assert downloading.value.failure() is None


def test_a_cancelled_backup_says_that_there_is_no_archive(place: Place, tabs: Tabs) -> None:
    assert place.client.create_job(place.workspace, {"kind": "backup"}).status_code == 201
    job = place.hub.jobs(place.workspace)[0]["id"]
    place.hub.cancel(job)
    page = tabs.open(place, job_path(job))
    expect(page.locator(".meaning")).to_have_text("No archive was made.")
