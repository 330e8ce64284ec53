"""Titles made names of files and folders that work everywhere."""

import re
import unicodedata

# What Windows, or a path anywhere, cannot have in a name.
_FORBIDDEN = re.compile(r'[<>:"/\\|?*]')
_COURSE_BYTES, _PAGE_BYTES = 60, 80


def course_folder(ordinal: int, title: str) -> str:
    """Return the folder of a workspace's course number ``ordinal``, counted from 1."""
    return f"courses/{ordinal:04}{_words(title, _COURSE_BYTES)}"


def page_entry(folder: str, ordinal: int, title: str) -> str:
    """Return the entry of page number ``ordinal`` of the course in ``folder``, counted from 1.

    The number makes names different from each other whatever becomes of the titles, also where case does not
    count; it keeps names such as ``CON`` from being what Windows takes for a device, and the order.
    """
    return f"{folder}/{ordinal:06}{_words(title, _PAGE_BYTES)}.md"


def _words(title: str, maximum: int) -> str:
    """Return a blank and what can be kept of the title, at most ``maximum`` bytes; or nothing.

    Forbidden characters, and those without a meaning yet, become ``_``; white space and control characters a
    blank; characters that only steer the display, such as changes of the writing direction, go.
    """
    # A title of up to 10,000 characters need not be looked at in full.
    start = title.lstrip()[: 4 * maximum]
    if not (start.isascii() and start.isprintable()):
        start = "".join(map(_safe, unicodedata.normalize("NFC", start)))
    words = " ".join(_FORBIDDEN.sub("_", start).split())
    cut = words.encode()[:maximum].decode(errors="ignore").rstrip(" .")
    return f" {cut}" if cut else ""


def _safe(character: str) -> str:
    category = unicodedata.category(character)
    if category in {"Cf", "Cs"}:
        return ""
    if category == "Cn":
        return "_"
    return " " if category in {"Cc", "Zs", "Zl", "Zp"} else character


_PAGE = re.compile(r"courses/([^/]+)/([^/]+\.md)")
_LEADS_ELSEWHERE = re.compile(r"^[/~]|^[A-Za-z]:|\\|(?:^|/)\.{1,2}(?:/|$)")
_MAXIMUM_COMPONENT = 255
_UNFIT = "its name has characters that a name cannot have everywhere"


def problem_of(name: str) -> str | None:
    """Say what makes ``name`` none that :func:`page_entry` could have made; None if nothing does."""
    if _LEADS_ELSEWHERE.search(name):
        return "its name leads out of the folder that it is unpacked to"
    match = _PAGE.fullmatch(name)
    if match is None:
        return "its name is none of this format: courses/<course>/<page>.md"
    if not (name.isascii() and name.isprintable()) and any(map(_is_unsafe, name)):
        return _UNFIT
    for component in match.groups():
        if _FORBIDDEN.search(component) or component.rstrip(" .") != component:
            return _UNFIT
        if len(component.encode()) > _MAXIMUM_COMPONENT:
            return f"its name has a part of over {_MAXIMUM_COMPONENT} bytes"
    return None


def _is_unsafe(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
