"""The first heading of a Markdown text."""

import re
from collections.abc import Iterator

_ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]+(?P<text>.*))?$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_RULE = re.compile(r" {0,3}([-_*])[ \t]*(?:\1[ \t]*){2,}$")
_CONTAINER = re.compile(r" {0,3}(?:>|<|[-+*](?:[ \t]|$)|[0-9]{1,9}[.)](?:[ \t]|$))")
_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}(?=[^`]*$)|~{3,})")


def first_heading(text: str) -> str | None:
    """Return the text of the first heading that has any, of either form, or None.

    Code blocks, comments, block quotes, lists and HTML are not looked into, as in CommonMark.
    """
    paragraph: list[str] | None = []  # None: in a list, quote or HTML until the next empty line
    for line in _lines_outside_code(text):
        if not line.strip():
            paragraph = []
        elif heading := _ATX.match(line):
            if title := _without_closing_marks(heading["text"] or ""):
                return title
            paragraph = []
        elif paragraph and _UNDERLINE.match(line):
            return " ".join(paragraph)
        elif _RULE.match(line):
            paragraph = []
        elif _CONTAINER.match(line):
            paragraph = None
        elif paragraph or (paragraph is not None and not line.startswith(("    ", "\t"))):
            paragraph.append(line.strip())
    return None


def _lines_outside_code(text: str) -> Iterator[str]:
    """Yield the lines; a fenced code block or a comment is one empty line."""
    end: re.Pattern[str] | None = None  # of the block the line is in
    for raw in text.split("\n"):
        line = raw.removesuffix("\r")
        if end:
            if end.search(line):
                end = None
        elif fence := _FENCE.match(line):
            mark, length = fence["marks"][0], len(fence["marks"])
            end = re.compile(rf"^ {{0,3}}{mark}{{{length},}}[ \t]*$")
            yield ""
        elif line.lstrip(" ").startswith("<!--"):
            end = None if "-->" in line else re.compile("-->")
            yield ""
        else:
            yield line


def _without_closing_marks(text: str) -> str:
    text = text.strip(" \t")
    stripped = text.rstrip("#")
    return stripped.rstrip(" \t") if not stripped or stripped[-1] in " \t" else text
