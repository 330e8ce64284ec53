"""Markdown files taken apart: the YAML front matter's title and tags, and the content."""

import re
from dataclasses import dataclass

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from knowledgehub.headings import first_heading

MAXIMUM_BLOCK = 64 * 1024
"""Characters a front matter block may have; what is longer is content between two rules."""

_OPENING = re.compile(r"---\r?\n")
_CLOSING = re.compile(r"^---\r?(?:\n|\Z)", re.MULTILINE)
_NULL = "tag:yaml.org,2002:null"


class FrontMatterError(ValueError):
    """Front matter whose title or tags cannot be taken; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file taken apart: ``title`` is None where none is given, ``tags`` are as written."""

    title: str | None
    tags: tuple[str, ...]
    content: str


def read(text: str) -> Document:
    """Take a file's text apart; a byte order mark at its start is dropped.

    Front matter is a first line ``---``, a YAML mapping and a closing line ``---``. A block that is no valid
    YAML or no mapping stays content. Members other than ``title`` and ``tags`` go with the block. Without a
    title the first heading is taken. What follows the closing line is kept as it is.
    Raises :class:`FrontMatterError`.
    """
    text = text.removeprefix("\ufeff")
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if not opening or not closing or closing.start() - opening.end() > MAXIMUM_BLOCK:
        return Document(first_heading(text), (), text)
    rest = text[closing.end() :]
    try:
        # Composed, never constructed: scalars stay as they are written, and an alias is one reference.
        root = yaml.compose(text[opening.end() : closing.start()], Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError):
        # The heading is looked for behind the block: the dashes below it make its last lines look like one.
        return Document(first_heading(rest), (), text)
    if not isinstance(root, MappingNode):
        return Document(first_heading(text), (), text)
    members = _members(root)
    title = _title(members["title"]) if "title" in members else None
    tags = _tags(members["tags"]) if "tags" in members else ()
    return Document(first_heading(rest) if title is None else title, tags, rest)


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
    return None if node.tag == _NULL else _text(node, "title")


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
