"""The backup folder by itself."""

import errno
import hashlib
import os
from pathlib import Path
from uuid import UUID

import pytest

from knowledgehub.archive.writer import ArchiveDigest
from worker.archive_store import ArchiveStore, Checkpoint
from worker.handlers import JobFailedError, WorkStopped

JOB = UUID(int=1)
LARGE = os.urandom(20 * 1024 * 1024)


def go_on() -> None:
    """A checkpoint that stops nothing."""


def digest(content: bytes) -> ArchiveDigest:
    return ArchiveDigest(len(content), hashlib.sha256(content).hexdigest())


def write(
    folder: Path, content: bytes, expected: bytes, checkpoint: Checkpoint = go_on, error: int = 0
) -> str:
    """Write an archive, a little at a time, and seal it, unless there is to be an error; return its name."""
    with ArchiveStore(folder).new_archive(JOB, checkpoint) as archive:
        for start in range(0, len(content), 1000):
            archive.file.write(content[start : start + 1000])
        if error:
            raise OSError(error, os.strerror(error))
        archive.seal(digest(expected))
    return archive.name


def test_an_archive_that_is_sealed_stays_under_a_name_of_its_own(tmp_path: Path) -> None:
    names = []
    for content in (b"one", LARGE):
        name = write(tmp_path, content, content)
        assert (tmp_path / name).read_bytes() == content
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
        names.append(name)
    assert sorted(ArchiveStore(tmp_path).names()) == sorted(set(names))
    assert all(name.startswith(f"{JOB}.") for name in names)


def test_an_archive_never_takes_the_place_of_another_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does it follow a link that somebody put there."""
    monkeypatch.setattr("secrets.token_hex", lambda _size: "0" * 16)
    name = f"{JOB}.{'0' * 16}.zip"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / name).symlink_to(tmp_path / "elsewhere" / "file")
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / name).write_text("mine")
    for folder in (tmp_path, tmp_path / "plain"):
        with pytest.raises(JobFailedError) as failed:
            write(folder, b"new", b"new")
        assert failed.value.code == "storage_error"
    assert (tmp_path / "plain" / name).read_text() == "mine"
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "storage_full"),
        (errno.EDQUOT, "storage_full"),
        (errno.EIO, "storage_error"),
        (errno.ESTALE, "storage_error"),
    ],
)
def test_what_goes_wrong_with_the_file_fails_the_job_and_removes_it(
    tmp_path: Path, number: int, code: str
) -> None:
    with pytest.raises(JobFailedError) as failed:
        write(tmp_path, b"half", b"whole", error=number)
    assert failed.value.code == code
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("calls", [1, 20, 30])
def test_work_can_be_stopped_while_a_large_archive_is_written_and_read_again(
    tmp_path: Path, calls: int
) -> None:
    """Once a megabyte, or nearly."""
    left = calls

    def stop_in_time() -> None:
        nonlocal left
        left -= 1
        if not left:
            raise WorkStopped

    with pytest.raises(WorkStopped):
        write(tmp_path, LARGE, LARGE, stop_in_time)
    assert list(tmp_path.iterdir()) == []


def test_an_archive_that_is_not_what_was_written_is_removed(tmp_path: Path) -> None:
    with pytest.raises(JobFailedError) as failed:
        write(tmp_path, b"this", b"that")
    assert failed.value.code == "storage_error"
    assert list(tmp_path.iterdir()) == []


def test_only_files_that_workers_made_are_listed(tmp_path: Path) -> None:
    name = f"{JOB}.0123456789abcdef.zip"
    for other in (name, name.upper(), f"{name}.old", f"x{name}", f"{JOB}.zip", "notes.zip", ".hidden"):
        (tmp_path / other).touch()
    assert ArchiveStore(tmp_path).names() == [name]


def test_a_file_that_is_gone_already_is_removed_without_a_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ArchiveStore(tmp_path).remove(f"{JOB}.0123456789abcdef.zip")
    ArchiveStore(tmp_path / "no folder").remove(f"{JOB}.0123456789abcdef.zip")
    assert caplog.records == []


def test_the_folder_is_made_for_its_owner_and_left_as_it_is(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path / "new" / "backups")
    store.make_folder()
    assert store.folder.stat().st_mode & 0o777 == 0o700
    store.folder.chmod(0o750)
    store.make_folder()
    assert store.folder.stat().st_mode & 0o777 == 0o750
