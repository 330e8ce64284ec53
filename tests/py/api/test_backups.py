"""The list of backups, and the download of their archives."""

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import httpx
import pytest

from tests.py.api.client import assert_problem
from tests.py.api.conftest import Place, StartApi, make_place
from tests.py.api.hub import Hub

CONTENT = os.urandom(700_001)


def archive_name(number: int) -> str:
    """A name as workers give them."""
    return f"00000000-0000-4000-8000-{number:012}.{number:016x}.zip"


@pytest.fixture
def backup(place: Place) -> UUID:
    """A backup whose archive is CONTENT."""
    name = f"{place.workspace}.0123456789abcdef.zip"
    (place.api.backup_dir / name).write_bytes(CONTENT)
    return place.hub.add_backup(place.administrator, place.workspace, name, CONTENT)


def download(place: Place, backup: UUID, **headers: str) -> httpx.Response:
    """Download an archive; underscores in names of headers are hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return place.client.get(f"{place.path}/backups/{backup}/archive", headers=named)


def events(place: Place, backup: UUID) -> list[str]:
    """What is on the backup's audit trail."""
    return [
        event["event"] for event in place.client.get(f"{place.path}/jobs/{backup}/audit").json()["events"]
    ]


def test_backups_are_listed_newest_first_and_only_those_that_succeeded(place: Place, backup: UUID) -> None:
    newer = place.hub.add_backup(place.administrator, place.workspace, archive_name(1), b"newer")
    place.client.create_job(place.workspace, {"kind": "backup"})
    place.hub.delete_archive(backup)
    first, second = place.client.get(f"{place.path}/backups").json()["backups"]
    assert first["job_id"] == str(newer)
    assert first["deleted_at"] is None
    assert second.pop("deleted_at").endswith("Z")
    assert second.pop("created_at") < second.pop("finished_at")
    assert second == {
        "job_id": str(backup),
        "actor": {"id": str(place.administrator.id), "name": place.administrator.name},
        "archive": f"{place.workspace}.0123456789abcdef.zip",
        "bytes": len(CONTENT),
        "pages": 3,
        "sha256": hashlib.sha256(CONTENT).hexdigest(),
    }
    page = place.client.get(f"{place.path}/backups?limit=1").json()
    assert [entry["job_id"] for entry in page["backups"]] == [str(newer)]
    page = place.client.get(f"{place.path}/backups?limit=1&cursor={page['next_cursor']}").json()
    assert [entry["job_id"] for entry in page["backups"]] == [str(backup)]
    assert page["next_cursor"] is None
    assert_problem(place.client.get(f"{place.path}/backups?cursor=x"), 422, "validation")


def test_an_archive_is_downloaded_byte_for_byte_and_on_the_audit_trail(place: Place, backup: UUID) -> None:
    response = download(place, backup)
    assert response.status_code == 200
    assert response.content == CONTENT
    assert response.headers["content-type"] == "application/zip"
    assert response.headers["content-length"] == str(len(CONTENT))
    assert response.headers["etag"] == f'"{hashlib.sha256(CONTENT).hexdigest()}"'
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["accept-ranges"] == "bytes"
    disposition = response.headers["content-disposition"]
    assert disposition.startswith('attachment; filename="backup-20')
    assert disposition.endswith(f'-{str(backup)[:8]}.zip"')
    assert events(place, backup)[-1] == "backup.downloaded"
    # A range counts with GET only.
    head = place.client.head(f"{place.path}/backups/{backup}/archive", headers={"Range": "bytes=0-1"})
    assert head.status_code == 200
    assert head.headers["content-length"] == str(len(CONTENT))
    assert head.content == b""


@pytest.mark.parametrize(
    ("field", "first", "last"),
    [
        ("bytes=0-0", 0, 0),
        ("bytes=100-299999", 100, 299_999),
        ("bytes=700000-", 700_000, 700_000),
        ("bytes=-1", 700_000, 700_000),
        ("bytes=-9999999", 0, 700_000),
        ("bytes=1-9999999", 1, 700_000),
    ],
)
def test_a_section_is_sent(place: Place, backup: UUID, field: str, first: int, last: int) -> None:
    response = download(place, backup, Range=field)
    assert response.status_code == 206
    assert response.content == CONTENT[first : last + 1]
    assert response.headers["content-range"] == f"bytes {first}-{last}/{len(CONTENT)}"
    assert response.headers["content-length"] == str(last + 1 - first)


@pytest.mark.parametrize("field", ["bytes=5-4", "bytes=-", "bytes=0-1,4-5", "bytes=a-", "lines=0-1", "0-1"])
def test_a_range_that_says_nothing_useful_is_ignored(place: Place, backup: UUID, field: str) -> None:
    response = download(place, backup, Range=field)
    assert response.status_code == 200
    assert len(response.content) == len(CONTENT)


@pytest.mark.parametrize("field", ["bytes=700001-", "bytes=999999999-", "bytes=-0"])
def test_a_range_beyond_the_end_is_refused(place: Place, backup: UUID, field: str) -> None:
    response = download(place, backup, Range=field)
    assert_problem(response, 416, "range-not-satisfiable")
    assert "content-disposition" not in response.headers
    assert response.headers["content-range"] == f"bytes */{len(CONTENT)}"


def test_conditions_are_kept(place: Place, backup: UUID) -> None:
    etag = f'"{hashlib.sha256(CONTENT).hexdigest()}"'
    assert download(place, backup, If_None_Match=etag).status_code == 304
    assert download(place, backup, If_None_Match='"other"').status_code == 200
    assert download(place, backup, Range="bytes=0-1", If_Range=etag).status_code == 206
    assert download(place, backup, Range="bytes=0-1", If_Range='"other"').status_code == 200


def test_a_download_in_sections_is_one_event(place: Place, backup: UUID) -> None:
    with ThreadPoolExecutor(8) as pool:
        ranges = [f"bytes={start}-{start + 999}" for start in range(0, 16_000, 1000)]
        assert {r.status_code for r in pool.map(lambda r: download(place, backup, Range=r), ranges)} == {206}
    assert events(place, backup).count("backup.downloaded") == 1


def test_only_administrators_of_the_workspace_download(place: Place, backup: UUID) -> None:
    address = f"{place.path}/backups/{backup}/archive"
    for path in (address, f"{place.path}/backups"):
        assert_problem(place.member("editor").get(path), 403, "not-administrator")
        assert_problem(place.member("administrator", enabled=False).get(path), 403, "not-administrator")
        assert_problem(place.stranger().get(path), 404, "not-found")
        assert_problem(place.api.client("x" * 43).get(path), 401, "unauthenticated")
    other = make_place(place.hub, place.api)
    assert_problem(other.client.get(f"{other.path}/backups/{backup}/archive"), 404, "not-found")
    assert "backup.downloaded" not in events(place, backup)


def test_what_is_no_finished_backup_has_no_archive(place: Place) -> None:
    pending = UUID(place.client.create_job(place.workspace, {"kind": "backup"}).json()["id"])
    tagging = place.hub.add_job(place.administrator, place.workspace, place.course)
    for job in (pending, tagging):
        assert_problem(download(place, job), 404, "not-found")


def test_a_deleted_archive_is_gone(place: Place, backup: UUID) -> None:
    place.hub.delete_archive(backup)
    assert_problem(download(place, backup), 410, "archive-gone")


def test_an_archive_that_is_missing_or_of_another_size_is_gone(place: Place, backup: UUID) -> None:
    file = place.api.backup_dir / f"{place.workspace}.0123456789abcdef.zip"
    file.write_bytes(CONTENT[:-1])
    assert_problem(download(place, backup), 410, "archive-gone")
    file.unlink()
    gone = download(place, backup)
    assert_problem(gone, 410, "archive-gone")
    assert not {"content-disposition", "etag"} & set(gone.headers)
    file.symlink_to("/etc/passwd")
    assert_problem(download(place, backup), 410, "archive-gone")


@pytest.mark.parametrize("name", ["../api.log", "/etc/hostname", "..", ""])
def test_no_file_outside_the_folder_is_ever_sent(place: Place, name: str) -> None:
    content = (place.api.backup_dir / name).read_bytes() if name.strip(".") else b""
    backup = place.hub.add_backup(place.administrator, place.workspace, name, content)
    assert_problem(download(place, backup), 410, "archive-gone")


def test_an_api_without_a_folder_says_so(own_hub: Hub, start_api: StartApi) -> None:
    place = make_place(own_hub, start_api())
    backup = own_hub.add_backup(place.administrator, place.workspace, archive_name(2), b"content")
    assert_problem(download(place, backup), 503, "archives-unavailable")


def test_downloads_hold_no_connection_to_the_database(place: Place, backup: UUID) -> None:
    address = f"{place.path}/backups/{backup}/archive"
    clients = [place.api.new_client(place.client.token) for _ in range(30)]
    try:
        for client in clients:
            client.send(client.build_request("GET", address), stream=True)
        assert place.client.get(f"{place.path}/backups", timeout=2).status_code == 200
    finally:
        for client in clients:
            client.close()
