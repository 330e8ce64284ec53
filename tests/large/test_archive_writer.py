"""The archive writer where a ZIP file's numbers run out of room: beyond 65,535 entries, and beyond 4 GiB."""

import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from knowledgehub.archive.backup_writer import BackupWriter
from knowledgehub.archive.reader import read_chunks, read_directory
from knowledgehub.archive.verification import verify
from knowledgehub.archive.writer import ArchiveWriter
from tests.py.knowledgehub.archive.samples import MEMBERS, made_up_id, page
from tests.py.knowledgehub.archive.tools import seven_zip, unzip

GIB = 1024**3
_PIECE = bytes(range(256)) * 64 * 1024  # 16 MiB


@pytest.fixture
def path() -> Iterator[Path]:
    """Where an archive may be put; up to 15 GiB, given back after the test."""
    with tempfile.TemporaryDirectory(prefix="knowledgehub-large-") as folder:
        yield Path(folder) / "large.zip"


def assert_everybody_reads(path: Path, entries: int) -> None:
    """Assert that Python's zipfile, unzip and 7-Zip find every entry and nothing wrong."""
    with zipfile.ZipFile(path) as archive:
        assert len(archive.infolist()) == entries
        assert archive.testzip() is None
    assert f"No errors detected in compressed data of {path}" in unzip("-tq", str(path))
    tested = seven_zip("t", str(path))
    assert "Everything is Ok" in tested
    assert f"Files: {entries}\n" in tested
    assert "Warning" not in tested


@pytest.mark.parametrize("entries", [65_534, 65_535, 65_536, 70_000])
def test_more_entries_than_sixteen_bits_count(entries: int, path: Path) -> None:
    with path.open("wb") as file, ArchiveWriter(file, path.parent) as writer:
        for number in range(entries):
            writer.add(f"folder/{number}", b"%d" % number, stored=True)
        writer.close()
    assert_everybody_reads(path, entries)
    with path.open("rb") as written:
        directory = read_directory(written)
    assert (len(directory.entries), directory.findings) == (entries, [])


def test_more_bytes_than_thirty_two_bits_count(path: Path) -> None:
    """An entry of over 4 GiB, entries behind it, and over 4 GiB of entries that are small."""

    def pieces() -> Iterator[bytes]:
        for _ in range(4 * GIB // len(_PIECE)):
            yield _PIECE
        yield b"and one more"

    small = 4 * GIB // len(_PIECE) + 1
    with path.open("wb") as file, ArchiveWriter(file, path.parent) as writer:
        for number in range(small):
            writer.add(f"small/{number}", _PIECE, stored=True)
        writer.add("large", pieces(), stored=True)
        writer.add("behind", b"the last", stored=True)
        digest = writer.close()
    assert digest.bytes == path.stat().st_size > 8 * GIB
    assert_everybody_reads(path, small + 2)
    with path.open("rb") as written:
        directory = read_directory(written)
        assert directory.findings == []
        large, behind = directory.entries[-2:]
        assert (large.size, behind.offset > 8 * GIB) == (4 * GIB + len("and one more"), True)
        assert sum(map(len, read_chunks(written, large, large.size))) == large.size
        assert b"".join(read_chunks(written, behind, 100)) == b"the last"


def test_a_backup_of_more_pages_than_sixteen_bits_count(path: Path) -> None:
    pages = 70_000
    with (
        path.open("wb") as file,
        BackupWriter(
            file, workspace_id=made_up_id(0), workspace_title="Large", spool_dir=path.parent
        ) as writer,
    ):
        writer.start_course(made_up_id(0), "Course")
        for number in range(pages):
            writer.add_page(page(number, f"Page {number}", f"Text of page {number}\n"))
        digest = writer.finish(MEMBERS)
    assert_everybody_reads(path, pages + 2)
    found = verify(path)
    assert (found.findings, len(found.pages), found.sha256) == ([], pages, digest.sha256)
