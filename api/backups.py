"""Backups: the list of them, and their archives."""

import asyncio
import os
import re
import stat
from collections.abc import AsyncIterator
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from falcon.asgi import Request, Response

from api import etags
from api.address import effective_address
from api.calls import Calls
from api.headers import lines
from api.outcomes import refusal
from api.problems import Problem
from api.resource import Resource
from knowledgehub.archive.file_names import is_archive

_CHUNK_BYTES = 256 * 1024
_RANGE = re.compile(rb"bytes=(?P<first>[0-9]{0,18})-(?P<last>[0-9]{0,18})")


class Section(NamedTuple):
    """The bytes of a file from ``start`` up to ``stop``, which is not among them."""

    start: int
    stop: int


class Archive(Resource):
    """GET /api/workspaces/{workspace}/backups/{job}/archive."""

    polled = True

    def __init__(self, calls: Calls, folder: Path | None) -> None:
        self._calls = calls
        self._folder = folder

    async def on_get(self, req: Request, resp: Response, workspace: UUID, job: UUID) -> None:
        """Send the archive, or the section asked for; no connection to the database is held meanwhile."""
        if self._folder is None:
            raise Problem("archives-unavailable")
        answer = await self._calls.download_archive(
            req.context.session, workspace, job, effective_address(req)
        )
        if answer.outcome != "ok":
            raise refusal(answer)
        detail: dict[str, Any] = answer.detail or {}
        etag, size = etags.strong(detail["sha256"]), detail["bytes"]
        if etags.none_match(req, etag):
            resp.status = 304
            resp.set_header("ETag", etag)
            return
        section = requested_section(req, etag, size)
        file = await asyncio.to_thread(_open, self._folder, detail["archive"], size)
        if file is None:
            raise Problem("archive-gone")
        # Only now: a refusal is no attachment.
        resp.content_type = "application/zip"
        day = detail["finished_at"][:10]
        resp.set_headers(
            {
                "ETag": etag,
                "Accept-Ranges": "bytes",
                "Content-Disposition": f'attachment; filename="backup-{day}-{str(job)[:8]}.zip"',
            }
        )
        if section is not None:
            resp.status = 206
            resp.set_header("Content-Range", f"bytes {section.start}-{section.stop - 1}/{size}")
        start, stop = section or Section(0, size)
        if req.method == "HEAD":
            file.close()
            resp.content_length = stop - start
        else:
            resp.set_stream(_read(file, start, stop), stop - start)

    on_head = on_get


def requested_section(req: Request, etag: str, size: int) -> Section | None:
    """Return the section of ``size`` bytes that Range asks for, or None for all (RFC 9110, section 14.2).

    A field of another unit, of several ranges or malformed is ignored, as is one whose If-Range names another
    archive, and any with another method than GET.
    Raises Problem `range-not-satisfiable` when it lies beyond the end.
    """
    values = lines(req, b"range") if req.method == "GET" else []
    match = _RANGE.fullmatch(values[0].strip(b" \t")) if len(values) == 1 else None
    if match is None or any(value.strip(b" \t") != etag.encode() for value in lines(req, b"if-range")):
        return None
    first, last = match["first"], match["last"]
    if not first and not last:
        return None
    if not first:  # the last so many bytes
        section = Section(max(0, size - int(last)), size)
    else:
        section = Section(int(first), min(size, int(last) + 1) if last else size)
        if last and int(last) < int(first):
            return None
    if section.start >= section.stop:
        raise Problem("range-not-satisfiable", headers={"Content-Range": f"bytes */{size}"})
    return section


def _open(folder: Path, name: str, size: int) -> FileIO | None:
    """Open an archive; None unless ``name`` is one's, and it is a file of this very size."""
    if not is_archive(name):
        return None
    try:
        descriptor = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_size == size:
        return FileIO(descriptor)
    os.close(descriptor)
    return None


async def _read(file: FileIO, start: int, stop: int) -> AsyncIterator[bytes]:
    with file:
        while start < stop:
            chunk = await asyncio.to_thread(os.pread, file.fileno(), min(_CHUNK_BYTES, stop - start), start)
            if not chunk:
                raise OSError("the archive has become shorter")
            yield chunk
            start += len(chunk)
