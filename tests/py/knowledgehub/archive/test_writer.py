"""The writer: what it writes is a ZIP file to everybody."""

import hashlib
import io
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledgehub.archive import records
from knowledgehub.archive.backup_writer import MANIFEST, README, BackupWriter
from knowledgehub.archive.page_file import render
from knowledgehub.archive.records import Entry, central_record, dos_time, end_records, local_header
from knowledgehub.archive.writer import ArchiveDigest, ArchiveWriter
from tests.py.knowledgehub.archive.samples import (
    MEMBERS,
    Course,
    archive_of,
    made_up_id,
    nasty_workspace,
    page,
    patiently,
    small_workspace,
    zipped,
)
from tests.py.knowledgehub.archive.tools import seven_zip, unzip


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of the nasty workspace."""
    path = tmp_path_factory.mktemp("nasty") / "nasty.zip"
    path.write_bytes(archive_of(nasty_workspace()))
    return path


def test_pythons_zipfile_reads_it(nasty: Path) -> None:
    expected = [render(one) for course in nasty_workspace() for one in course.pages]
    with zipfile.ZipFile(nasty) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert names[0] == README
        assert names[-1] == MANIFEST
        assert [archive.read(name) for name in names[1:-1]] == expected
        assert len({name.casefold() for name in names}) == len(names)
        assert names[1:-1] == sorted(names[1:-1])


def test_unzip_reads_it(nasty: Path, tmp_path: Path) -> None:
    unzip("-tqq", str(nasty))
    unzip("-qq", str(nasty), "-d", str(tmp_path))
    with zipfile.ZipFile(nasty) as archive:
        for name in archive.namelist():
            assert (tmp_path / name).read_bytes() == archive.read(name)


def test_seven_zip_reads_it(nasty: Path) -> None:
    assert "Everything is Ok" in seven_zip("t", str(nasty))
    assert "Warning" not in seven_zip("t", str(nasty))


def test_an_entrys_time_is_its_pages(nasty: Path) -> None:
    with zipfile.ZipFile(nasty) as archive:
        times = {info.filename: info.date_time for info in archive.infolist()}
    first = nasty_workspace()[0].pages[0]
    assert times["courses/0001 All/000001 a_b.md"] == first.updated_at.timetuple()[:6]
    assert times[README] == times[MANIFEST] == (1980, 1, 1, 0, 0, 0)


def test_the_same_content_gives_the_same_bytes() -> None:
    assert archive_of(small_workspace()) == archive_of(small_workspace())


def test_an_entrys_bytes_do_not_depend_on_the_others() -> None:
    one = page(7, "Seven", "content\n")
    alone = archive_of([Course("C", [one])])
    among = archive_of([Course("Other", [page(1)]), Course("C", [page(2), one])])
    with zipfile.ZipFile(io.BytesIO(alone)) as first, zipfile.ZipFile(io.BytesIO(among)) as second:
        seven, other = first.infolist()[1], second.infolist()[3]
        assert first.read(seven) == second.read(other) == render(one)
        packed = [
            data[info.header_offset + 30 + len(info.filename.encode()) :][: info.compress_size]
            for data, info in ((alone, seven), (among, other))
        ]
    assert packed[0] == packed[1]


def test_its_comment_is_the_hash_of_all_before_it() -> None:
    archive = archive_of(small_workspace())
    with zipfile.ZipFile(io.BytesIO(archive)) as read:
        comment = read.comment
    assert comment == b"sha256:" + hashlib.sha256(archive[: -len(comment)]).hexdigest().encode()


def test_chunks_are_one_entry() -> None:
    file = io.BytesIO()
    with ArchiveWriter(file, None) as writer:
        writer.add("packed", iter([b"a" * 100_000, b"", b"b" * 100_000]))
        writer.add("stored", iter([b"c", b"d"]), stored=True)
        writer.add("bytes", b"e", stored=True)
        writer.add("none", iter([]))
        digest = writer.close()
    assert digest == ArchiveDigest(len(file.getvalue()), hashlib.sha256(file.getvalue()).hexdigest())
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        assert archive.read("packed") == b"a" * 100_000 + b"b" * 100_000
        assert archive.getinfo("packed").compress_size < 1000
        assert [archive.read(name) for name in ("stored", "bytes", "none")] == [b"cd", b"e", b""]
        assert archive.getinfo("stored").compress_type == zipfile.ZIP_STORED


def test_it_only_appends_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    class OnlyWrites(io.BytesIO):
        def seek(self, *_: object) -> int:
            raise AssertionError

    file = OnlyWrites()
    with ArchiveWriter(file, tmp_path) as writer:
        writer.add("a", iter([b"1" * 1000]))
        assert list(tmp_path.iterdir()) == []
        writer.close()
    assert list(tmp_path.iterdir()) == []
    assert zipfile.ZipFile(io.BytesIO(file.getvalue())).testzip() is None


@pytest.mark.parametrize("room", [0, 10, 200, 900])
def test_an_error_of_the_file_passes_through(room: int) -> None:
    class Full(io.BytesIO):
        def write(self, data: bytes) -> int:  # type: ignore[override]
            if self.tell() + len(data) > room:
                raise OSError(28, "No space left on device")
            return super().write(data)

    def write() -> None:
        with ArchiveWriter(Full(), None) as writer:
            for number in range(10):
                writer.add(str(number), b"\x00\x01" * 10)
            writer.close()

    with pytest.raises(OSError, match="No space left"):
        write()


@patiently
@given(st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"])), st.binary()), max_size=5))
def test_any_entries_can_be_read(entries: list[tuple[str, bytes]]) -> None:
    with zipfile.ZipFile(io.BytesIO(zipped(entries))) as archive:
        # zipfile ends a name at a NUL.
        assert [info.orig_filename for info in archive.infolist()] == [name for name, _ in entries]
        assert [archive.read(info) for info in archive.infolist() if "\0" not in info.orig_filename] == [
            data for name, data in entries if "\0" not in name
        ]


@pytest.mark.parametrize(
    ("time", "read"),
    [
        (None, (1980, 1, 1, 0, 0, 0)),
        (datetime(1970, 1, 1, tzinfo=UTC), (1980, 1, 1, 0, 0, 0)),
        (datetime(2026, 11, 29, 23, 59, 59, 999_999, tzinfo=UTC), (2026, 11, 29, 23, 59, 58)),
        (datetime(9999, 12, 31, 1, tzinfo=UTC), (2107, 12, 31, 23, 59, 58)),
    ],
)
def test_times_are_kept_as_well_as_a_zip_can(time: datetime | None, read: tuple[int, ...]) -> None:
    file = io.BytesIO()
    with ArchiveWriter(file, None) as writer:
        writer.add("a", b"", time)
        writer.close()
    assert zipfile.ZipFile(file).getinfo("a").date_time == read


@pytest.mark.parametrize("entries", [0, 1, 65_534])
def test_zip64_is_not_used_where_it_is_not_needed(entries: int) -> None:
    assert len(end_records(entries, 1000, 2**32 - 2, 71)) == records.END.size
    largest = Entry(b"name", 0, dos_time(None), 0, 2**32 - 2, 2**32 - 2, 2**32 - 2)
    assert len(local_header(largest)) == records.LOCAL.size + 4
    assert len(central_record(largest)) == records.CENTRAL.size + 4


@pytest.mark.parametrize("numbers", [(65_535, 0, 0), (0, 2**32 - 1, 0), (0, 0, 2**32 - 1)])
def test_zip64_is_used_where_a_number_has_no_room_at_the_end(numbers: tuple[int, int, int]) -> None:
    assert len(end_records(*numbers, 71)) == records.END64.size + records.LOCATOR64.size + records.END.size


@pytest.mark.parametrize(
    ("compressed_size", "size", "offset", "local_extra", "central_extra"),
    [
        (2**32 - 1, 5, 0, 20, 20),
        (5, 2**32 - 1, 0, 20, 20),
        (5, 5, 2**32 - 1, 0, 12),
        (2**33, 2**33, 2**33, 20, 28),
    ],
)
def test_zip64_is_used_where_a_number_has_no_room_in_an_entry(
    compressed_size: int, size: int, offset: int, local_extra: int, central_extra: int
) -> None:
    entry = Entry(b"name", 0, dos_time(None), 0, compressed_size, size, offset)
    assert len(local_header(entry)) == records.LOCAL.size + 4 + local_extra
    assert len(central_record(entry)) == records.CENTRAL.size + 4 + central_extra


def test_memory_does_not_grow_with_the_pages() -> None:
    few, many = (peak_memory(pages) for pages in (16_000, 28_000))
    assert many - few < 1024, f"{few} KB for 16,000 pages, {many} KB for 28,000"


def peak_memory(pages: int) -> int:
    """Return how many KB a process takes at most that writes so many pages."""
    program = f"""
import re, sys, uuid
from datetime import datetime, UTC
from knowledgehub.archive.backup_writer import BackupPage, BackupWriter
with open("/dev/null", "wb") as file, BackupWriter(
    file, workspace_id=uuid.uuid4(), workspace_title="", spool_dir=None
) as writer:
    writer.start_course(uuid.uuid4(), "")
    for number in range({pages}):
        writer.add_page(BackupPage(uuid.uuid4(), "Title", f"Content {{number}}", [], datetime.now(UTC)))
    writer.finish([])
# Not by getrusage: that counts the parent before exec, too.
print(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
"""
    command = [sys.executable, "-c", program]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def test_ending_a_backup_keeps_pace(tmp_path: Path) -> None:
    class StopError(Exception):
        """What a worker raises that is to stop."""

    def stop() -> None:
        raise StopError

    writer = BackupWriter(io.BytesIO(), workspace_id=made_up_id(0), workspace_title="", spool_dir=tmp_path)
    with writer:
        writer.start_course(made_up_id(0), "")
        writer.add_page(page())
        with pytest.raises(StopError):
            writer.finish(MEMBERS, stop)
