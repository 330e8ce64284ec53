"""Archives that somebody made on purpose: each is refused in one clear line, with its own hash right."""

import io
import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from knowledgehub.archive import records
from knowledgehub.archive.backup_writer import MANIFEST, README
from knowledgehub.archive.page_file import render
from knowledgehub.archive.reader import EntryError, read_chunks
from knowledgehub.archive.records import Entry, central_record, end_records, local_header
from knowledgehub.archive.writer import COMMENT_BYTES
from tests.py.knowledgehub.archive.samples import (
    Course,
    archive_of,
    assert_refused,
    entry,
    findings_of,
    forged,
    made_up_id,
    page,
    sealed,
    zipped,
)

NAME = "courses/0001 Course/000001 Title.md"
COURSE = {
    "id": str(made_up_id("course")),
    "title": "Course",
    "folder": "courses/0001 Course",
    "page_count": 1,
}


def test_a_forger_who_does_it_right_is_believed() -> None:
    assert findings_of(forged([entry()])) == []
    assert findings_of(forged([])) == []


@pytest.mark.parametrize(
    "name",
    [
        "../x.md",
        "courses/../../x.md",
        "/etc/x.md",
        "C:\\x.md",
        "courses\\0001\\x.md",
        "courses/0001 Course/../x.md",
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(name: str, file: Path) -> None:
    found = assert_refused(forged([entry(1, name)]), file)
    assert found[0] == (name, "its name leads out of the folder that it is unpacked to")


def test_a_name_that_commands_the_terminal_is_refused(file: Path) -> None:
    name = "courses/0001 Course/\x1b[2J.md"
    found = assert_refused(forged([entry(1, name)]), file)
    assert found == [(name, "its name has characters that a name cannot have everywhere")]


@pytest.mark.parametrize("name", [NAME, NAME.upper().replace("MD", "md").replace("COURSES/", "courses/")])
def test_names_that_are_the_same_somewhere_are_refused(name: str, file: Path) -> None:
    found = assert_refused(forged([entry(1), entry(2, name)]), file)
    assert (name, "another entry has the same name, at least where case does not count") in found


def test_names_that_are_the_same_after_normalising_are_refused(file: Path) -> None:
    names = [f"courses/0001 Course/000001 {letter}.md" for letter in ("\u00e9", "e\u0301")]
    found = assert_refused(forged([entry(1, names[0]), entry(2, names[1])]), file)
    assert found == [(names[1], "another entry has the same name, at least where case does not count")]


def entries_of(archive: bytes) -> list[Entry]:
    """Return what the directory of an archive says."""
    with zipfile.ZipFile(io.BytesIO(archive)) as read:
        infos = read.infolist()
    return [
        Entry(
            info.filename.encode(),
            info.compress_type,
            struct.unpack_from("<I", archive, info.header_offset + 10)[0],
            info.CRC,
            info.compress_size,
            info.file_size,
            info.header_offset,
        )
        for info in infos
    ]


def changed(archive: bytes, name: str, more: bytes = b"", **numbers: int) -> bytes:
    """Return an archive in which an entry's records agree on other numbers; ``more`` follows its data."""
    body, directory = bytearray(), bytearray()
    entries = entries_of(archive)
    for one in entries:
        start = one.offset + records.LOCAL.size + len(one.name)
        data = archive[start : start + one.compressed_size]
        new = one._replace(offset=len(body))
        if one.name == name.encode():
            data += more
            new = Entry(**new._asdict() | {"compressed_size": len(data)} | numbers)
        body += local_header(new) + data
        directory += central_record(new)
    end = end_records(len(entries), len(directory), len(body), COMMENT_BYTES)
    return sealed(bytes(body + directory + end) + b" " * COMMENT_BYTES)


def test_what_changes_entries_leaves_them_alone_otherwise() -> None:
    assert findings_of(changed(forged([entry()]), NAME)) == []


def test_a_page_that_says_it_is_huge_is_refused(file: Path) -> None:
    found = assert_refused(changed(forged([entry()]), NAME, size=2**32 - 2), file)
    assert (NAME, "its size is not the manifest's") in found
    assert (NAME, "it has 4,294,967,294 bytes, and at most 2,621,440 are taken") in found


def test_a_page_that_is_huge_is_refused(file: Path) -> None:
    found = assert_refused(forged([(NAME, b"\0" * 10_000_000)]), file)
    assert found == [(NAME, "it has 10,000,000 bytes, and at most 2,621,440 are taken")]


def test_a_page_that_unpacks_to_more_than_it_says_is_refused(file: Path) -> None:
    name, data = entry()
    archive = changed(forged([(name, data + b"0" * 2_000_000)], [(name, data)]), NAME, size=len(data))
    assert assert_refused(archive, file) == [(NAME, "its data unpacks to more than its size says")]


def test_no_more_is_unpacked_than_an_entry_says() -> None:
    name, data = entry()
    archive = changed(forged([(name, data + b"0" * 50_000_000)]), NAME, size=100_000)
    file = io.BytesIO(archive)
    unpacked: list[bytes] = []
    with pytest.raises(EntryError, match="more than its size says"):
        unpacked.extend(read_chunks(file, entries_of(archive)[1], 1_000_000))
    assert len(b"".join(unpacked)) <= 100_000


def test_data_behind_the_end_of_a_pages_data_is_refused(file: Path) -> None:
    found = assert_refused(changed(forged([entry()]), NAME, b"hidden"), file)
    assert found == [(NAME, "more data follows its end")]
    # Also where it is read later than the end.
    found = assert_refused(changed(forged([entry()]), NAME, b"hidden" * 1_000_000), file)
    assert found == [(NAME, "more data follows its end")]


def test_a_wrong_crc_is_refused(file: Path) -> None:
    found = assert_refused(changed(forged([entry()]), NAME, crc=1), file)
    assert found == [(NAME, "its data is damaged: the CRC is wrong")]


def test_a_record_that_differs_from_the_directorys_is_refused(file: Path) -> None:
    archive = bytearray(forged([entry()]))
    archive[archive.index(NAME.encode())] ^= 1
    assert assert_refused(sealed(bytes(archive)), file) == [
        (NAME, "the record before its data is not what the directory says of it")
    ]


def test_an_end_that_this_program_does_not_write_is_refused(file: Path) -> None:
    archive = bytearray(forged([entry()]))
    archive[-COMMENT_BYTES - 18] = 1  # the number of the disk
    assert assert_refused(sealed(bytes(archive)), file) == [(None, "its end is damaged")]


def test_a_page_that_unpacks_to_less_than_it_says_is_refused(file: Path) -> None:
    name, data = entry()
    archive = changed(forged([(name, data)], [(name, data + b" ")]), NAME, size=len(data) + 1)
    assert assert_refused(archive, file) == [(NAME, "its data unpacks to less than its size says")]


def test_a_size_that_no_data_of_this_length_has_is_refused(file: Path) -> None:
    name, data = entry()
    claimed = 2_000_000
    archive = changed(forged([(name, data)], [(name, data.ljust(claimed))]), NAME, size=claimed)
    ((_, problem),) = assert_refused(archive, file)
    assert problem.startswith("2,000,000 bytes cannot be packed into ")


def test_a_manifest_of_more_than_its_entries_need_is_refused(file: Path) -> None:
    entries = [(README, b""), (MANIFEST, b" " * (64 * 1024 * 1024 + 3 * 1024))]
    ((name, problem),) = assert_refused(zipped(entries), file)
    assert (name, problem) == (MANIFEST, "it has 67,111,936 bytes, and at most 67,110,912 are taken")


def test_a_manifest_of_one_long_line_is_refused(file: Path) -> None:
    entries = [(README, b""), (MANIFEST, b" " * 10_000_000)]
    assert assert_refused(zipped(entries), file) == [(MANIFEST, "it has a line of over 262,144 bytes")]


def with_directory(archive: bytes, change: Callable[[list[Entry]], list[Entry]]) -> bytes:
    """Return an archive whose directory is another."""
    with zipfile.ZipFile(io.BytesIO(archive)) as read:
        start = read.start_dir
    entries = change(entries_of(archive))
    directory = b"".join(map(central_record, entries))
    end = end_records(len(entries), len(directory), start, COMMENT_BYTES)
    return sealed(archive[:start] + directory + end + b" " * COMMENT_BYTES)


def test_entries_that_share_their_data_are_refused(file: Path) -> None:
    def overlap(entries: list[Entry]) -> list[Entry]:
        second = entries[1]._replace(name=NAME.replace("1 T", "2 T").encode())
        return [*entries[:2], second, *entries[2:]]

    found = assert_refused(with_directory(forged([entry()]), overlap), file)
    assert found[0] == (NAME.replace("1 T", "2 T"), "it overlaps the entry before it")


def test_an_entry_inside_another_is_refused(file: Path) -> None:
    inner = zipped([("x", b"inner")])
    outer = forged([(NAME, render(page(1, content=inner.hex())))])
    found = assert_refused(
        with_directory(outer, lambda entries: [entries[0], entries[1]._replace(offset=3), entries[2]]), file
    )
    assert (NAME, "it overlaps the entry before it") in found
    assert (NAME, "the record before its data is not what the directory says of it") not in found


def test_data_that_the_directory_does_not_name_is_refused(file: Path) -> None:
    archive = with_directory(forged([entry(1), entry(2)]), lambda entries: [entries[0], *entries[2:]])
    name = "courses/0001 Course/000002 Title.md"
    assert any(
        entry == name and problem.endswith("unknown bytes are before it")
        for entry, problem in assert_refused(archive, file)
    )


def test_data_between_the_last_entry_and_the_directory_is_refused(file: Path) -> None:
    archive = forged([entry()])
    start = zipfile.ZipFile(io.BytesIO(archive)).start_dir
    directory = archive[start : -COMMENT_BYTES - 22]
    end = end_records(3, len(directory), start + 4, COMMENT_BYTES)
    hidden = sealed(archive[:start] + b"data" + directory + end + b" " * COMMENT_BYTES)
    assert assert_refused(hidden, file) == [
        (None, "its entries do not reach to the directory, or reach into it")
    ]


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        (8, 0x801, "it is encrypted"),
        (10, 12, "its method of compression, 12, is unknown here"),
        (8, 0x808, "its record in the directory is not as it was written"),
        (4, 20, "its record in the directory is not as it was written"),
        (38, 1, "its record in the directory is not as it was written"),
        (40, 0o120777, "its record in the directory is not as it was written"),
    ],
    ids=["encrypted", "method", "data descriptor", "made by DOS", "attributes", "link"],
)
def test_what_this_program_never_writes_is_refused(field: int, value: int, problem: str, file: Path) -> None:
    archive = bytearray(forged([entry()]))
    record = archive.index(b"PK\x01\x02", archive.index(b"PK\x01\x02") + 1)
    struct.pack_into("<H", archive, record + field, value)
    assert assert_refused(sealed(bytes(archive)), file) == [(NAME, problem)]


def test_an_encrypted_archive_of_another_program_is_refused(file: Path) -> None:
    archive = bytearray(forged([entry()]))
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = -1
        while (place := archive.find(signature, place + 1)) >= 0:
            archive[place + flags] |= 1
    found = assert_refused(sealed(bytes(archive)), file)
    assert found == [(name, "it is encrypted") for name in (README, NAME, MANIFEST)]


def test_an_archive_of_a_later_format_is_refused(file: Path) -> None:
    problem = "it is of format 2, and this version knows format 1 only: use a later version"
    assert assert_refused(forged([entry()], head={"format": 2}), file) == [(None, problem)]
    assert assert_refused(forged([("anything", b"")], head={"format": 2}), file)[-1] == (None, problem)


def test_an_archive_of_pythons_zipfile_is_refused(file: Path) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("a.txt", "text")
    ((_, problem),) = assert_refused(made.getvalue(), file)
    assert problem.endswith("or it is no backup")


@pytest.mark.parametrize(
    "entries", [[], [(README, b"")], [(MANIFEST, b"{}")], [(MANIFEST, b"{}"), (README, b"")], [entry()]]
)
def test_an_archive_without_its_ends_is_refused(entries: list[tuple[str, bytes]], file: Path) -> None:
    assert assert_refused(zipped(entries), file) == [
        (None, "it does not begin with README.txt and end with manifest.json: it is no backup")
    ]


def test_an_entry_that_the_manifest_does_not_list_is_refused(file: Path) -> None:
    found = assert_refused(forged([entry(1), entry(2)], [entry(1)]), file)
    assert found == [("courses/0001 Course/000002 Title.md", "the manifest does not list it")]


def test_an_entry_that_is_missing_is_refused(file: Path) -> None:
    found = assert_refused(forged([entry(1)], [entry(1), entry(2)]), file)
    assert found == [
        ("courses/0001 Course/000002 Title.md", "the manifest lists it and the archive has it not")
    ]


def test_another_order_than_the_manifests_is_refused(file: Path) -> None:
    pages = [entry(1), entry(2)]
    found = assert_refused(forged(pages[::-1], pages), file)
    assert found == [(MANIFEST, "its pages have another order than the entries")]


def test_data_that_is_not_the_manifests_is_refused(file: Path) -> None:
    (name, _), (_, other) = entry(1, content="a"), entry(1, content="b")
    found = assert_refused(forged([(name, other)], [entry(1, content="a")]), file)
    assert found == [(name, "its SHA-256 is not the manifest's")]


def test_a_page_with_another_id_than_the_manifests_is_refused(file: Path) -> None:
    found = assert_refused(forged([entry(2, NAME)]), file)
    assert found == [(NAME, "its front matter has another id than the manifest")]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"# No front matter", "it does not begin with front matter"),
        (entry(1)[1] + b"\xff", "it is not UTF-8"),
        (entry(1)[1] + b"\0", "it has a NUL character or half a surrogate pair"),
        (entry(1, title="x" * 10_001)[1], "its title has over 10,000 characters"),
        (entry(1, content="x" * (2 * 1024 * 1024 + 1))[1], "its content has over 2 MiB"),
        (render(page(1, tags=map(str, range(201)))), "it has over 200 tags"),
        *[
            (render(page(1, tags=[tag])), "it has a tag that no page can have")
            for tag in ("", "a,b", " a", "a ", "a  b", "a\u00a0b", "a\tb", "a\nb", "\x7f", "\x85", "x" * 65)
        ],
    ],
)
def test_a_page_that_no_page_can_be_is_refused(data: bytes, problem: str, file: Path) -> None:
    assert assert_refused(forged([(NAME, data)]), file) == [(NAME, problem)]


@pytest.mark.parametrize(
    ("head", "problem"),
    [
        ({"counts": {"courses": 1, "pages": 2, "members": 0}}, "it counts 2 pages and lists 1"),
        ({"counts": {"courses": 2, "pages": 1, "members": 0}}, "it counts 2 courses and lists 1"),
        ({"counts": {"courses": 1, "pages": 1, "members": 1}}, "it counts 1 members and lists 0"),
        (
            {"counts": {"courses": True, "pages": 1, "members": 0}},
            "what it says of the workspace is not of this format",
        ),
        (
            {"counts": {"courses": 1, "pages": -1, "members": 0}},
            "what it says of the workspace is not of this format",
        ),
        ({"counts": []}, "what it says of the workspace is not of this format"),
        ({"workspace": {}}, "what it says of the workspace is not of this format"),
        ({"members": {}}, "what it says of the workspace is not of this format"),
        ({"members": [{}]}, "what it says of the workspace is not of this format"),
        ({"courses": [COURSE | {"id": "x"}]}, "what it says of the workspace is not of this format"),
        ({"courses": [COURSE | {"title": "\ud800"}]}, "what it says of the workspace is not of this format"),
        ({"courses": [COURSE | {"title": "\0"}]}, "what it says of the workspace is not of this format"),
        (
            {"courses": [COURSE | {"title": "x" * 10_001}]},
            f"course {COURSE['id']} has a title of over 10,000 characters",
        ),
        (
            {"courses": [COURSE | {"folder": "courses/0002 Course"}]},
            f"the pages of course {COURSE['id']} are not the 1 in its folder",
        ),
        (
            {"courses": [COURSE | {"page_count": 2}]},
            f"the pages of course {COURSE['id']} are not the 2 in its folder",
        ),
        ({"courses": [COURSE | {"page_count": 0}]}, "1 of its pages are in no course"),
        (
            {
                "courses": [COURSE, COURSE | {"page_count": 0}],
                "counts": {"courses": 2, "pages": 1, "members": 0},
            },
            "it lists a course twice",
        ),
        ({"format": "1"}, "it does not begin with its format"),
    ],
)
def test_a_manifest_that_contradicts_itself_is_refused(
    head: dict[str, object], problem: str, file: Path
) -> None:
    assert assert_refused(forged([entry()], head=head), file) == [(MANIFEST, problem)]


def manifest_of(archive: bytes) -> bytes:
    """Return the manifest of an archive."""
    return zipfile.ZipFile(io.BytesIO(archive)).read(MANIFEST)


@pytest.mark.parametrize(
    ("was", "put", "problem"),
    [
        (b"{\n", b"[\n", "it is not JSON in UTF-8"),
        (b"Workspace", b"\xff", "it is not JSON in UTF-8"),
        (b'"title": "Workspace"', b'"title": ' + b"[" * 100_000, "it is not JSON in UTF-8"),
        (b'"title": "Workspace"', b'"title": "a", "title": "b"', "it gives a name twice"),
        (b'"pages": {', b'"leaves": {', "it lists no pages"),
        (b'"pages": {\n', b'"pages": { ', "it does not list a page a line"),
        (b'"members": []', b'"members": [[]]', "it does not list a course and a member a line"),
        (b'"members": []', b'"members": [' + b"\n[]," * 99, "it is no JSON object"),
        (
            b'"members": []',
            b'"members": [],' + b"\n" * 20,
            "what it says of the workspace is not of this format",
        ),
        (b'"entry"', b'"entry', "it is not JSON in UTF-8"),
        (b'"entry"', b'"name"', "it has a line that is no page's"),
        (b'"sha256": "', b'"sha256": "x', f"page {made_up_id(1)} has no SHA-256 in it"),
        (b'"size": ', b'"size": "1", "size": ', "it gives a name twice"),
        (b'"size": ', b'"size": -', "it has a line that is no page's"),
        (b"\n}\n}\n", b"\n}\n}\nmore", "something follows its pages"),
        (b"\n}\n}\n", b"\n}\n", "something follows its pages"),
        (b"\n}\n}\n", b"\n", "it has a line that is no page's"),
    ],
)
def test_a_manifest_of_another_form_is_refused(was: bytes, put: bytes, problem: str, file: Path) -> None:
    manifest = manifest_of(forged([entry()]))
    assert was in manifest
    changed_manifest = manifest.replace(was, put, 1)
    entries = [(README, b""), entry(), (MANIFEST, changed_manifest)]
    assert (MANIFEST, problem) in assert_refused(zipped(entries), file)


def test_a_page_listed_twice_is_refused(file: Path) -> None:
    manifest = manifest_of(forged([entry(1), entry(2)]))
    manifest = manifest.replace(str(made_up_id(2)).encode(), str(made_up_id(1)).encode())
    entries = [(README, b""), entry(1), entry(2), (MANIFEST, manifest)]
    assert (MANIFEST, f"page {made_up_id(1)} is in it twice") in assert_refused(zipped(entries), file)


def test_a_manifest_is_json_to_everybody() -> None:
    archive = archive_of([Course('"Course"\n', [page(1), page(2)]), Course("", [], made_up_id("other"))])
    manifest = json.loads(manifest_of(archive))
    assert list(manifest) == ["format", "product", "workspace", "counts", "members", "courses", "pages"]
    assert manifest["format"] == 1
    assert manifest["product"].startswith("KnowledgeHub Jobs ")
    assert manifest["workspace"] == {"id": str(made_up_id("workspace")), "title": "Wörkspace"}
    assert manifest["counts"] == {"courses": 2, "pages": 2, "members": 2}
    assert manifest["members"][1] == {
        "email": "bo@example.org",
        "name": 'Bo "the editor" Ö\u202e',
        "role": "editor",
        "enabled": False,
    }
    assert manifest["courses"][0] == {
        "id": str(made_up_id("course")),
        "title": '"Course"\n',
        "folder": "courses/0001 _Course_",
        "page_count": 2,
    }
    assert list(manifest["pages"]) == [str(made_up_id(1)), str(made_up_id(2))]
    assert json.loads(manifest_of(archive_of([])))["pages"] == {}
