"""A backup folder that is full, cannot be written or vanishes."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.py.worker.archives import Archives
from tests.py.worker.conftest import Workers
from tests.py.worker.process import COMMAND, WorkerProcess
from tests.py.worker.scene import Scene
from tests.server import Database

# A mount that only the worker sees, and that ends with it.
_UNSHARE = (
    ("unshare", "--mount") if os.geteuid() == 0 else ("unshare", "--user", "--map-root-user", "--mount")
)
_MOUNT = 'mount -t tmpfs -o "$OPTIONS" none "$KNOWLEDGEHUB_BACKUP_DIR" && exec "$@"'
_IN_MOUNT = (*_UNSHARE, "--propagation", "private", "sh", "-c", _MOUNT, "sh")

StartMounted = Callable[[str], tuple[WorkerProcess, Archives]]


@pytest.fixture
def start_mounted(database: Database, tmp_path: Path) -> Iterator[StartMounted]:
    """Starts a worker whose backup folder is a file system of its own, mounted with the given options."""
    folder = tmp_path / "mount"
    folder.mkdir()
    environment = {"KNOWLEDGEHUB_WORKER_CONCURRENCY": "1", "KNOWLEDGEHUB_BACKUP_DIR": str(folder)}
    probe = subprocess.run(
        (*_IN_MOUNT, "true"),
        env=os.environ | environment | {"OPTIONS": "rw"},
        capture_output=True,
        check=False,
        text=True,
    )
    if probe.returncode != 0:
        pytest.skip(
            f"nothing can be mounted here, not even in a namespace of its own: {probe.stderr.strip()}"
        )
    started: list[WorkerProcess] = []

    def start(options: str) -> tuple[WorkerProcess, Archives]:
        url = database.url("hub_worker")
        command = (*_IN_MOUNT, *COMMAND)
        worker = WorkerProcess(tmp_path / "log", url, command, environment | {"OPTIONS": options})
        started.append(worker)
        worker.wait_for("worker ready")
        return worker, Archives(Path(f"/proc/{worker.pid}/root{folder}"))

    yield start
    for worker in started:
        worker.kill()


def test_a_full_disk_fails_the_backup_and_spares_the_archives_there_are(
    scene: Scene, start_mounted: StartMounted
) -> None:
    scene.add_course(100)
    worker, archives = start_mounted("size=2m,mode=700")
    first = scene.create("backup")
    scene.wait_for_state(first, "succeeded")
    scene.connection.execute(
        # What does not get any smaller, three megabytes of it.
        "UPDATE hub_store.page SET content = (SELECT string_agg(encode(sha256((position || '.' || n)::bytea),"
        " 'base64'), '') FROM generate_series(1, 1000) AS n)"
    )
    full = scene.create("backup")
    row = scene.wait_for_state(full, "failed")
    assert row["failure"]["code"] == "storage_full"
    assert row["attempt"] == 1
    assert "No space left" in worker.wait_for("the job fails")["reason"]
    assert archives.names() == [scene.job(first)["result"]["archive"]]
    archives.assert_is_result(scene, first).close()
    scene.connection.execute("UPDATE hub_store.page SET content = 'Text'")
    after = scene.create("backup")
    scene.wait_for_state(after, "succeeded")
    archives.assert_is_result(scene, after).close()
    assert len(archives.names()) == 2


def test_a_folder_that_cannot_be_written_fails_the_backup_and_nothing_else(
    scene: Scene, start_mounted: StartMounted
) -> None:
    worker, _ = start_mounted("ro")
    job = scene.create("backup")
    row = scene.wait_for_state(job, "failed")
    assert row["failure"]["code"] == "storage_error"
    assert "Read-only file system" in worker.wait_for("the job fails")["reason"]
    scene.wait_for_state(scene.tag(scene.add_course(1), "law"), "succeeded")


def test_a_folder_that_vanishes_fails_the_backup(scene: Scene, workers: Workers, tmp_path: Path) -> None:
    """In the middle of one, and before the next: it is not made again, where a disk may be missing."""
    archives = Archives(tmp_path / "backups")
    scene.add_course(300)
    running = scene.create("backup")
    worker = workers(seconds_a_page=0.005, backup_dir=archives.folder)
    scene.wait_for_processed(running, 100)
    shutil.rmtree(archives.folder)
    queued = scene.create("backup")
    for job in (running, queued):
        row = scene.wait_for_state(job, "failed")
        assert row["failure"]["code"] == "storage_error"
    assert "No such file" in worker.wait_for("the job fails", 2)["reason"]
    assert not archives.folder.exists()
    workers(backup_dir=archives.folder).wait_for("worker ready")
    scene.wait_for_state(scene.create("backup"), "succeeded")


def test_a_folder_that_cannot_be_made_is_named_and_fails_backups(
    scene: Scene, workers: Workers, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "backups"
    worker = workers(backup_dir=folder)
    assert str(folder) in worker.wait_for("the backup folder cannot be made")["error"]
    row = scene.wait_for_state(scene.create("backup"), "failed")
    assert row["failure"]["code"] == "storage_error"
    scene.wait_for_state(scene.tag(scene.add_course(1), "law"), "succeeded")
