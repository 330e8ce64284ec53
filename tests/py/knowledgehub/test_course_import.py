"""A folder of foreign Markdown: each file taken right, or named with the reason."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from knowledgehub.calls import Answer, Operator
from knowledgehub.course_import import (
    CourseRefusedError,
    EmptyFolderError,
    Import,
    Note,
    Page,
    Refusal,
    import_course,
    read_folder,
)
from knowledgehub.demo import SAMPLE_COURSE
from tests.server import Database

MIB = 1024 * 1024

Write = Callable[[str, str | bytes], Path]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder, with a space in its name."""
    path = tmp_path / "a folder"
    path.mkdir()
    return path


@pytest.fixture
def write(folder: Path) -> Write:
    """Write a file below the folder."""

    def write(name: str, content: str | bytes) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def operator(database: Database) -> Operator:
    """The operator's functions of a fresh database."""
    return Operator(database.as_role("hub_operator"))


@pytest.fixture
def workspace(operator: Operator) -> UUID:
    """A workspace."""
    return UUID(operator.add_workspace("A workspace").detail["id"])


def names(folder: Path) -> list[str]:
    """Return the files in the order in which they are read."""
    return [file.file for file in read_folder(folder)]


def only(folder: Path) -> Page | Refusal:
    """Return the only file."""
    (file,) = read_folder(folder)
    return file


def pages_of(database: Database, course: UUID) -> list[tuple[str, str, list[str]]]:
    """Return title, content and tags of a course's pages in order."""
    query = "SELECT title, content, tags FROM hub_store.page WHERE course_id = %s ORDER BY position"
    return database.as_superuser().execute(query, [course]).fetchall()


def test_files_come_in_path_order_component_by_component(folder: Path, write: Write) -> None:
    expected = [
        "B.md",
        "a/1.md",
        "a/b/deep.md",
        "a/b.md",
        "a b.md",
        "a-b.md",
        "a.md",
        "b.md",
        "é.md",
        "日本.md",
    ]
    for name in sorted(expected, key=hash):
        write(name, "")
    assert names(folder) == expected


def test_only_md_files_are_read_and_none_that_is_hidden(folder: Path, write: Write) -> None:
    for name in ("a.md", "b.MD", "b2.Md", "c.markdown", "d.md.txt", "e.txt", "md", ".hidden.md", ".md"):
        write(name, "")
    for name in (".git/a.md", "f/.trash/a.md", "f/a.md"):
        write(name, "")
    (folder / ".link").symlink_to("f")
    assert names(folder) == ["a.md", "b.MD", "b2.Md", "f/a.md"]


def test_a_folder_may_be_named_like_a_page(folder: Path, write: Write) -> None:
    write("a.md/b.md", "")
    assert names(folder) == ["a.md/b.md"]


def test_an_empty_folder_has_no_pages(folder: Path) -> None:
    (folder / "empty").mkdir()
    assert names(folder) == []


@pytest.mark.parametrize(
    ("name", "content", "title"),
    [
        ("a page.md", "", "a page"),
        ("A Page.MD", "", "A Page"),
        ("a.b.md", "text", "a.b"),
        ("a.md", "text\n\n## A heading ##\n", "A heading"),
        ("a.md", "A heading\r\n===\r\n", "A heading"),
        ("a.md", "---\ntitle: T\n---\n# A heading\n", "T"),
        ("a.md", "---\ntitle: ''\n---\n# A heading\n", ""),
        ("a.md", "---\ntitle:\n---\n", "a"),
        ("a.md", "---\ntitle: [\n---\n", "a"),
    ],
)
def test_the_title_is_given_or_the_first_heading_or_the_name(
    folder: Path, write: Write, name: str, content: str, title: str
) -> None:
    write(name, content)
    page = only(folder)
    assert isinstance(page, Page)
    assert page.title == title


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"\r\n\r\n",
        b"line\rline\r\nline\n",
        b"  trailing  \t\n\n\n",
        "\u2028\u0085\u00a0é e\u0301 😀\x01\x7f".encode(),
        b"# A\n\n---\ntitle: in the body\n---\n\n***\n",
    ],
)
def test_content_is_kept_byte_for_byte(folder: Path, write: Write, content: bytes) -> None:
    write("a.md", content)
    write("b.md", b"\xef\xbb\xbf" + content)
    write("c.md", b"\xef\xbb\xbf---\r\ntitle: C\r\n---\r\n" + content)
    for page in read_folder(folder):
        assert isinstance(page, Page)
        assert page.content.encode() == content


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"x" * (5 * MIB), "over 2 MiB: it has 5,242,880 bytes", id="5-MB"),
        pytest.param(b"x" * (2 * MIB + 1), "over 2 MiB: it has 2,097,153 bytes", id="2-MiB-and-one"),
        pytest.param(b"abc\xff", "invalid UTF-8 at byte 3", id="latin-1"),
        pytest.param("text".encode("utf-16"), "invalid UTF-8 at byte 0", id="utf-16"),
        pytest.param(b"\xed\xa0\x80", "invalid UTF-8 at byte 0", id="surrogate"),
        pytest.param(b"\xc0\x80", "invalid UTF-8 at byte 0", id="overlong"),
        pytest.param("é\0".encode(), "a NUL character at byte 2", id="nul"),
        pytest.param(b"---\ntitle: [a]\n---\n", "title", id="title-is-a-list"),
        pytest.param(b"---\ntags: {a: b}\n---\n", "tags", id="tags-are-a-mapping"),
    ],
)
def test_a_file_that_cannot_be_a_page_is_named_with_the_reason(
    folder: Path, write: Write, content: bytes, reason: str
) -> None:
    write("good.md", "good")
    write("bad one.md", content)
    refusal, good = read_folder(folder)
    assert isinstance(refusal, Refusal)
    assert refusal.file == "bad one.md"
    assert reason in refusal.reason
    assert isinstance(good, Page)


def test_exactly_2_mib_are_taken(folder: Path, write: Write) -> None:
    write("a.md", b"x" * (2 * MIB))
    assert isinstance(only(folder), Page)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        pytest.param(lambda path: path.symlink_to(path), "leads to itself", id="link-to-itself"),
        pytest.param(lambda path: path.symlink_to("missing"), "cannot be read", id="dangling-link"),
        pytest.param(lambda path: path.symlink_to("/etc/passwd"), "leads out", id="link-out"),
        pytest.param(lambda path: path.symlink_to(".."), "not followed", id="link-to-the-parent"),
        pytest.param(lambda path: path.symlink_to("."), "not followed", id="link-to-its-folder"),
        pytest.param(os.mkfifo, "not a regular file", id="pipe"),
    ],
)
def test_what_only_looks_like_a_page_is_named(
    folder: Path, make: Callable[[Path], None], reason: str
) -> None:
    make(folder / "a.md")
    refusal = only(folder)
    assert isinstance(refusal, Refusal)
    assert refusal.file == "a.md"
    assert reason in refusal.reason


def test_a_link_to_a_file_in_the_folder_is_its_page_again(folder: Path, write: Write) -> None:
    write("z/real.md", "the text")
    (folder / "link.md").symlink_to("z/real.md")
    link, real = read_folder(folder)
    assert isinstance(link, Page)
    assert isinstance(real, Page)
    assert (link.title, link.content, real.content) == ("link", "the text", "the text")


def test_a_link_to_a_folder_is_named_once_and_ends(folder: Path, write: Write) -> None:
    write("a/page.md", "")
    (folder / "a" / "loop").symlink_to("..")
    assert names(folder) == ["a/loop", "a/page.md"]


def test_the_folder_itself_may_be_a_link(folder: Path, write: Write, tmp_path: Path) -> None:
    write("a.md", "text")
    (tmp_path / "link").symlink_to(folder)
    assert isinstance(only(tmp_path / "link"), Page)


def test_a_name_that_is_not_utf8_needs_a_title(folder: Path, write: Write) -> None:
    write(os.fsdecode(b"a\xff.md"), "text")
    write(os.fsdecode(b"b\xff.md"), "# A title")
    refusal, page = read_folder(folder)
    assert isinstance(refusal, Refusal)
    assert refusal.file == "a\\xff.md"
    assert "not UTF-8" in refusal.reason
    assert isinstance(page, Page)
    assert page.file == "b\\xff.md"


def test_what_cannot_be_read_is_named(folder: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Permissions do not stop root, who may run the tests: the system's answer is made up."""
    write("file.md", "")
    write("sub/page.md", "")
    real_open, real_scandir = os.open, os.scandir

    def refuse_open(path: Path, *arguments: int) -> int:
        if Path(path).name == "file.md":
            raise PermissionError(13, "Permission denied")
        return real_open(path, *arguments)

    def refuse_scandir(path: Path) -> object:
        if Path(path).name == "sub":
            raise PermissionError(13, "Permission denied")
        return real_scandir(path)

    monkeypatch.setattr(os, "open", refuse_open)
    monkeypatch.setattr(os, "scandir", refuse_scandir)
    assert list(read_folder(folder)) == [
        Refusal("file.md", "cannot be read: Permission denied"),
        Refusal("sub", "the folder cannot be read: Permission denied"),
    ]


def test_the_good_files_are_imported_and_the_others_named(
    database: Database, operator: Operator, workspace: UUID, folder: Path, write: Write
) -> None:
    write("1.md", "---\ntitle: One\ntags: [b, a, B, ' x  y ']\n---\nfirst\r\n")
    write("3.md", f"---\ntags: a, {'t' * 65}\n---\n")
    write("2.md", b"\xff")
    write("4.md", "---\ntags: ['a,b']\n---\n")
    write("5.md", '---\ntags: ["a\\x07"]\n---\n')
    write("6.md", "---\ntags: [ok, '']\n---\n")
    write("7.md", f"---\ntags: [{', '.join(f't{n}' for n in range(201))}]\n---\n")
    write("8.md", b"\xff")
    write("9/a.md", f"---\ntitle: {'Ж' * 10_000}\n---\n")
    write("9/b.md", "# One\nlast")
    result = import_course(operator, workspace, "A course", folder)
    reasons = {refusal.file: refusal.reason for refusal in result.refusals}
    assert list(reasons) == [f"{number}.md" for number in range(2, 9)]
    assert reasons["2.md"] == "invalid UTF-8 at byte 0"
    assert reasons["3.md"] == "tag 2: a tag has 1 to 64 characters"
    assert "commas" in reasons["4.md"]
    assert "control characters" in reasons["5.md"]
    assert reasons["6.md"] == "tag 2 is empty"
    assert reasons["7.md"] == "has 201 tags; a page has at most 200 different ones"
    assert result.pages == 3
    assert result.course_id is not None
    assert pages_of(database, result.course_id) == [
        ("One", "first\r\n", ["b", "a", "x y"]),
        ("Ж" * 10_000, "", []),
        ("One", "# One\nlast", []),
    ]


def test_order_and_content_survive_many_batches(
    database: Database, operator: Operator, workspace: UUID, folder: Path, write: Write
) -> None:
    for number in range(1200):
        write(f"{number:04}.md", f"---\ntags: {'x' * 65 if number % 100 == 7 else 'y'}\n---\n{number}")
    for number in range(4):
        write(f"z{number}.md", f"{number}" * MIB)
    seen: list[int] = []
    result = import_course(operator, workspace, "A course", folder, seen.append)
    assert [refusal.file for refusal in result.refusals] == [
        f"{number:04}.md" for number in range(7, 1200, 100)
    ]
    assert result.course_id is not None
    contents = [content for _, content, _ in pages_of(database, result.course_id)]
    assert contents[:1188] == [f"{number}" for number in range(1200) if number % 100 != 7]
    assert contents[1188:] == [f"{number}" * MIB for number in range(4)]
    assert result.pages == len(contents)
    assert seen == list(range(1, 1205))


def test_a_batch_has_at_most_500_pages_and_4_mib(
    operator: Operator, workspace: UUID, folder: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1001):
        write(f"{number:04}.md", "")
    for number in range(5):
        write(f"z{number}.md", "x" * (3 * MIB // 2))
    batches = []
    add_pages = operator.add_pages

    def record(course: UUID, pages: Sequence[dict[str, Any]]) -> Answer:
        batches.append((len(pages), sum(len(page["content"]) for page in pages) / MIB))
        return add_pages(course, pages)

    monkeypatch.setattr(operator, "add_pages", record)
    assert import_course(operator, workspace, "A course", folder).pages == 1006
    assert batches == [(500, 0), (500, 0), (3, 3), (2, 3), (1, 1.5)]


def test_nobody_sees_half_a_course(
    database: Database, operator: Operator, workspace: UUID, folder: Path, write: Write
) -> None:
    for number in range(501):
        write(f"{number:04}.md", "")
    watcher = database.as_superuser()
    counts = set()

    def look(_: int) -> None:
        counts.add(watcher.execute("SELECT count(*) FROM hub_store.course").fetchone())

    import_course(operator, workspace, "A course", folder, look)
    assert counts == {(0,)}


def test_a_lost_connection_leaves_nothing(
    database: Database, operator: Operator, workspace: UUID, folder: Path, write: Write
) -> None:
    for number in range(501):
        write(f"{number:04}.md", "")

    def cut(number: int) -> None:
        if number == 501:
            database.as_superuser().execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'hub_operator'"
                " AND datname = current_database()"
            )

    with pytest.raises(psycopg.OperationalError):
        import_course(operator, workspace, "A course", folder, cut)
    counts = "SELECT (SELECT count(*) FROM hub_store.course), (SELECT count(*) FROM hub_store.page)"
    assert database.as_superuser().execute(counts).fetchone() == (0, 0)


def test_a_title_too_long_is_refused_and_without_a_page_there_is_no_course(
    database: Database, operator: Operator, workspace: UUID, folder: Path, write: Write
) -> None:
    write("a.md", f"---\ntitle: {'Ж' * 10_001}\n---\n")
    write("b.md", b"\xff")
    result = import_course(operator, workspace, "A course", folder)
    assert (result.course_id, result.pages) == (None, 0)
    assert result.refusals == [
        Refusal("a.md", "title: a title has at most 10,000 characters"),
        Refusal("b.md", "invalid UTF-8 at byte 0"),
    ]
    count = database.as_superuser().execute("SELECT count(*) FROM hub_store.course").fetchone()
    assert count == (0,)


def test_a_folder_without_a_markdown_file_is_no_course(
    database: Database, operator: Operator, workspace: UUID, folder: Path, write: Write
) -> None:
    write("a.txt", "text")
    with pytest.raises(EmptyFolderError):
        import_course(operator, workspace, "A course", folder)
    count = database.as_superuser().execute("SELECT count(*) FROM hub_store.course").fetchone()
    assert count == (0,)


def test_front_matter_kept_as_text_is_noted_but_not_refused(
    operator: Operator, workspace: UUID, folder: Path, write: Write
) -> None:
    write("a.md", "---\ntitle: a: b\n---\n")
    write("b.md", f"---\ntitle: a: b\n---\n# {'x' * 10_001}")  # refused: nothing of it is kept
    write("c.md", "text")
    result = import_course(operator, workspace, "A course", folder)
    assert result.notes == [Note("a.md", "front matter is not YAML (line 2): kept as text")]
    assert [refusal.file for refusal in result.refusals] == ["b.md"]


def test_an_unknown_workspace_gets_no_course(operator: Operator, folder: Path) -> None:
    with pytest.raises(CourseRefusedError) as raised:
        import_course(operator, UUID(int=0), "A course", folder)
    assert raised.value.answer.outcome == "not_found"


def test_the_sample_course_is_taken_whole(operator: Operator, workspace: UUID) -> None:
    result: Import = import_course(operator, workspace, "The sample", SAMPLE_COURSE)
    assert result.refusals == []
    assert result.pages == len(list(SAMPLE_COURSE.rglob("*.md"))) >= 18
