"""The commands of ``backup``, up to a backup by a real worker that is restored."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from psycopg.types.json import Jsonb

from knowledgehub.archive.page_file import BackupPage
from knowledgehub.archive.restore import restore
from knowledgehub.calls import Operator
from tests.py.knowledgehub.archive.samples import (
    MEMBERS,
    archive_of,
    nasty_workspace,
    read_back,
    small_workspace,
)
from tests.py.knowledgehub.archive.test_restore import contents, counts, rows
from tests.py.knowledgehub.running import Run, run_json
from tests.py.worker.process import COMMAND, WorkerProcess
from tests.py.worker.scene import Scene
from tests.server import Database

ENTRY = "courses/0001 Course/000002 Zwei.md"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """A small archive."""
    path = tmp_path / "an archive.zip"
    path.write_bytes(archive_of(small_workspace()))
    return path


@pytest.fixture
def scene(database: Database) -> Scene:
    """A workspace with an administrator."""
    return Scene.build(database.as_superuser())


@pytest.fixture
def backup_dir(tmp_path: Path) -> Path:
    """The folder of archives."""
    path = tmp_path / "backups"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture
def worker(database: Database, tmp_path: Path, backup_dir: Path) -> Iterator[WorkerProcess]:
    """A worker that makes backups."""
    environment = {"KNOWLEDGEHUB_BACKUP_DIR": str(backup_dir)}
    worker = WorkerProcess(tmp_path / "worker.log", database.url("hub_worker"), COMMAND, environment)
    yield worker
    if worker.alive:
        worker.send(signal.SIGTERM)
        worker.wait(30)


def damaged(archive: Path) -> Path:
    """Damage an entry."""
    data = bytearray(archive.read_bytes())
    data[data.index(ENTRY.encode()) + len(ENTRY) + 20] ^= 255
    archive.write_bytes(data)
    return archive


def test_a_right_archive_is_called_right(run: Run, archive: Path) -> None:
    result = run(
        "backup", "verify", str(archive), KNOWLEDGEHUB_OPERATOR_URL=None, KNOWLEDGEHUB_OWNER_URL=None
    )
    assert result.stdout.startswith(f"{archive} is right: 2 courses, 2 pages, 2 members; ")
    assert result.stderr == ""
    body = run_json(run, "backup", "verify", str(archive))
    assert body == {
        "archive": str(archive),
        "right": True,
        "bytes": archive.stat().st_size,
        "sha256": body["sha256"],
        "title": "Wörkspace",
        "courses": 2,
        "pages": 2,
        "members": 2,
        "findings": [],
    }


def test_what_is_wrong_is_named_entry_by_entry(run: Run, archive: Path) -> None:
    result = run("backup", "verify", str(damaged(archive)), status=1, lines=3)
    whole, entry, summary = result.stderr.splitlines()
    assert whole.startswith("knowledgehub: wrong: it is not as it was written: SHA-256 ")
    assert entry.startswith(f"knowledgehub: wrong: {ENTRY}: its data ")
    assert summary == f"knowledgehub: {archive} is damaged or no backup: 2 things are wrong, see above"
    assert result.stdout == ""
    result = run("backup", "verify", str(archive), "--json", status=1, lines=3)
    body = json.loads(result.stdout)
    assert not body["right"]
    assert [finding["entry"] for finding in body["findings"]] == [None, ENTRY]


def test_a_damaged_archive_is_not_restored(run: Run, archive: Path, database: Database) -> None:
    result = run("backup", "restore", str(damaged(archive)), "--title", "T", status=1, lines=3)
    assert result.stderr.splitlines()[-1] == (
        f"knowledgehub: {archive} was not restored: 2 things are wrong, see above"
    )
    assert counts(database) == (0, 0, 0)


def test_an_archive_is_restored(run: Run, archive: Path, database: Database) -> None:
    body = run_json(run, "backup", "restore", str(archive), "--title", "Restored")
    assert body == {"id": body["id"], "courses": 2, "pages": 2}
    assert contents(database, UUID(body["id"])) == rows(small_workspace())
    again = run("backup", "restore", str(archive), "--title", "Restored").stdout
    assert again.startswith("restored workspace ")
    assert again.endswith(": 2 courses, 2 pages; give it members with `knowledgehub member set`\n")


def test_a_title_that_no_workspace_can_have_is_one_line(run: Run, archive: Path) -> None:
    result = run("backup", "restore", str(archive), "--title", " ", status=1)
    assert result.stderr == (
        "knowledgehub: title: a workspace's title has 1 to 10,000 characters, not only spaces\n"
    )


def test_a_file_that_cannot_be_read_is_one_line(run: Run, tmp_path: Path) -> None:
    pipe = Path("/proc/self/mem")
    for command in (("verify", str(pipe)), ("restore", str(pipe), "--title", "T")):
        result = run("backup", *command, status=1)
        assert result.stderr.startswith(f"knowledgehub: {pipe} cannot be read: ")
    assert run("backup", "verify", str(tmp_path), status=2).stderr.count("directory") == 1


def test_a_long_check_and_restore_tell_how_far_they_are(
    run: Run, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("backup", "restore", str(archive), "--title", "T").stderr == ""
    monkeypatch.setattr("knowledgehub.commands.progress._LINE_SECONDS", 0)
    lines = run("backup", "restore", str(archive), "--title", "T").stderr.splitlines()
    assert "knowledgehub: 50 % checked" in lines
    assert lines[-1] == "knowledgehub: 2 of 2 pages restored"


def finished_backup(scene: Scene, database: Database, archive: str) -> UUID:
    """Let a backup succeed with this archive."""
    job = scene.create("backup")
    worker = database.as_role("hub_worker")
    claim = worker.execute("SELECT job_id, lease FROM jobs.claim('w-test', ARRAY['backup'])").fetchone()
    assert claim is not None
    result = Jsonb({"archive": archive, "bytes": 1, "pages": 0, "sha256": "0" * 64})
    worker.execute("SELECT outcome FROM jobs.finish(%s, %s, %s)", [*claim, result])
    assert scene.job(job)["state"] == "succeeded"
    return job


def test_an_archive_is_deleted_with_its_file(
    run: Run, scene: Scene, database: Database, backup_dir: Path
) -> None:
    name = f"{uuid4()}.{'0' * 16}.zip"
    job = finished_backup(scene, database, name)
    for file in (name, "another.zip"):
        (backup_dir / file).write_bytes(b"archive")
    folder = {"KNOWLEDGEHUB_BACKUP_DIR": str(backup_dir)}
    result = run("backup", "delete", str(job), **folder)
    assert result.stdout == f"archive {name} is deleted, and its file is removed\n"
    assert [path.name for path in backup_dir.iterdir()] == ["another.zip"]
    assert scene.job(job)["result"]["archive"] == name
    assert scene.events(job)[-1] == "backup.deleted"
    result = run("backup", "delete", str(job), status=1, **folder)
    assert result.stderr == f"knowledgehub: the archive of job {job} was deleted before\n"
    (backup_dir / name).write_bytes(b"back")
    assert run_json(run, "backup", "delete", str(job), **folder) == {"archive": name, "removed": True}
    assert scene.events(job).count("backup.deleted") == 1


def test_a_file_elsewhere_is_left_to_a_worker(run: Run, scene: Scene, database: Database) -> None:
    name = f"{uuid4()}.{'0' * 16}.zip"
    job = finished_backup(scene, database, name)
    result = run("backup", "delete", str(job))
    assert result.stdout == f"archive {name} is deleted, and a worker that has its file will remove it\n"


def test_only_a_finished_backup_has_an_archive_to_delete(run: Run, scene: Scene) -> None:
    for job in (uuid4(), scene.create("backup")):
        result = run("backup", "delete", str(job), status=1)
        assert result.stderr == (
            f"knowledgehub: there is no finished backup {job}: see `knowledgehub jobs list WORKSPACE`\n"
        )


def test_a_workspace_backed_up_by_a_worker_is_restored_field_by_field(
    run: Run, scene: Scene, database: Database, worker: WorkerProcess, backup_dir: Path, tmp_path: Path
) -> None:
    source = tmp_path / "source.zip"
    source.write_bytes(archive_of(nasty_workspace(), MEMBERS))
    made = restore(Operator(database.as_role("hub_operator")), source, "Nasty\n../title")
    scene.workspace = made.workspace_id
    connection = database.as_superuser()
    connection.execute(
        "INSERT INTO hub_store.membership (workspace_id, user_id, role) VALUES (%s, %s, 'administrator')",
        [made.workspace_id, scene.administrator],
    )
    # Gaps in the order, as deleted pages leave them, and old times.
    connection.execute("DELETE FROM hub_store.page WHERE position = 3")
    connection.execute(
        "UPDATE hub_store.page SET updated_at = '2001-02-03 04:05:06.789+00' WHERE position = 5"
    )
    before = contents(database, made.workspace_id)
    job = scene.create("backup")
    result = scene.wait_for_state(job, "succeeded")["result"]
    archive = backup_dir / result["archive"]
    checked = run_json(run, "backup", "verify", str(archive))
    assert checked["right"]
    assert (checked["title"], checked["members"]) == ("Nasty\n../title", 1)
    assert {name: checked[name] for name in ("bytes", "pages", "sha256")} == {
        name: result[name] for name in ("bytes", "pages", "sha256")
    }
    in_archive = [page for _, pages in read_back(archive.read_bytes()) for page in pages]
    query = """
        SELECT p.id, p.title, p.content, p.tags, p.updated_at
        FROM hub_store.course AS c JOIN hub_store.page AS p ON p.course_id = c.id
        WHERE c.workspace_id = %s ORDER BY c.position, p.position"""
    in_database = connection.execute(query, [made.workspace_id]).fetchall()
    assert in_archive == [BackupPage(*row) for row in in_database]
    restored = run_json(run, "backup", "restore", str(archive), "--title", "Again")
    assert contents(database, UUID(restored["id"])) == before
    assert len(before) > 90
    assert worker.alive


@pytest.mark.parametrize(
    "command", [("verify",), ("restore", "--title", "Back")], ids=lambda command: command[0]
)
def test_only_a_regular_file_is_an_archive(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    """A pipe or a device would be read without end."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "is no regular file" in run("backup", *command, str(pipe), status=2).stderr
