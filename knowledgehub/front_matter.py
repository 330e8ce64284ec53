"""Markdown files taken apart: the YAML front matter's title and tags, and the content."""

import re
from dataclasses import dataclass

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import ReaderError

from knowledgehub.headings import first_heading

MAXIMUM_BLOCK = 64 * 1024
"""Characters a front matter block may have; what is longer is content between two rules."""

_OPENING = re.compile(r"---[ \t]*\r?\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_NULL = "tag:yaml.org,2002:null"


class FrontMatterError(ValueError):
    """Front matter whose title or tags cannot be taken; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file taken apart: ``title`` is None where none is given, ``tags`` are as written.

    ``note`` says why a block that looks like front matter stayed content.
    """

    title: str | None
    tags: tuple[str, ...]
    content: str
    note: str | None = None


def read(text: str) -> Document:
    """Take a file's text apart; a byte order mark at its start is dropped.

    Front matter is a first line ``---``, a YAML mapping or nothing, and a closing line ``---`` or ``...``;
    blanks and tabs may follow the marks. A block that is no valid YAML or no mapping stays content, with a
    note. Members other than ``title`` and ``tags`` go with the block. A title of several lines becomes one.
    Without a title the first heading is taken. What follows the closing line is kept as it is.
    Raises :class:`FrontMatterError`.
    """
    text = text.removeprefix("\ufeff")
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if not opening or not closing or closing.start() - opening.end() > MAXIMUM_BLOCK:
        return Document(first_heading(text), (), text)
    block, rest = text[opening.end() : closing.start()], text[closing.end() :]
    if not block:
        return Document(first_heading(rest), (), rest)
    try:
        # Composed, never constructed: scalars stay as they are written, and an alias is one reference.
        root = yaml.compose(block, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        # The heading is looked for behind the block: the dashes below it make its last lines look like one.
        note = f"front matter is not YAML{_place(error, block)}: kept as text"
        return Document(first_heading(rest), (), text, note)
    if not isinstance(root, MappingNode):
        note = "front matter has no names with values, such as title: …, so it is kept as text"
        return Document(first_heading(text), (), text, note)
    members = _members(root)
    title = _title(members["title"]) if "title" in members else None
    tags = _tags(members["tags"]) if "tags" in members else ()
    return Document(first_heading(rest) if title is None else title, tags, rest)


def _place(error: Exception, block: str) -> str:
    """Name the line of the file, where the error has one."""
    index: int | None = None
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        index = error.problem_mark.index
    elif isinstance(error, ReaderError):
        index = error.position
    return "" if index is None else f" (line {2 + block.count(chr(10), 0, index)})"


def _members(root: MappingNode) -> dict[str, Node]:
    members: dict[str, Node] = {}
    for key, value in root.value:
        if isinstance(key, ScalarNode) and key.value in {"title", "tags"}:
            if key.value in members:
                raise FrontMatterError(f"{key.value} is given twice in the front matter")
            members[key.value] = value
    return members


def _title(node: Node) -> str | None:
    if not isinstance(node, ScalarNode):
        raise FrontMatterError("title in the front matter is a list or a mapping: it should be a text")
    if node.tag == _NULL:
        return None
    title = _text(node, "title")
    return " ".join(title.split()) if "\n" in title else title


def _tags(node: Node) -> tuple[str, ...]:
    if isinstance(node, ScalarNode):
        pieces = [] if node.tag == _NULL else _text(node, "tags").split(",")
        return tuple(piece for piece in pieces if piece.strip())
    if isinstance(node, SequenceNode) and all(isinstance(item, ScalarNode) for item in node.value):
        return tuple("" if item.tag == _NULL else _text(item, "tags") for item in node.value)
    raise FrontMatterError("tags in the front matter should be a list of texts, or one text with commas")


def _text(node: ScalarNode, member: str) -> str:
    text = str(node.value)
    # Only YAML's escapes can write these; the database can keep neither.
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise FrontMatterError(f"{member} in the front matter has a NUL character or half a surrogate pair")
    return text
