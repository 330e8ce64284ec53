"""A ZIP file written from its beginning to its end, in flat memory."""

import hashlib
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from knowledgehub.archive.records import (
    DEFLATED,
    STORED,
    Entry,
    central_record,
    dos_time,
    end_records,
    local_header,
)
from knowledgehub.archive.spool import Spool

DIGEST_PREFIX = b"sha256:"
COMMENT_BYTES = len(DIGEST_PREFIX) + 2 * hashlib.sha256().digest_size
"""The archive's comment: the prefix and, in hexadecimal, the SHA-256 of every byte before the comment."""

_LEVEL = 6
_RAW = -15  # zlib's window, without its own header


@dataclass(frozen=True, slots=True)
class ArchiveDigest:
    """Size in bytes and SHA-256, in hexadecimal, of a whole file."""

    bytes: int
    sha256: str


class ArchiveWriter:
    """Writes entries to ``file``, a new and empty buffered binary file that stays the caller's.

    Only ever appends. An entry's sizes and CRC are known before its header is written, so there are no data
    descriptors; the directory, and entries given in chunks, wait in unnamed temporary files in ``spool_dir``.
    Use it in a ``with`` statement, which gives those files back. Every method may raise OSError; the archive
    is then of no use.
    """

    def __init__(self, file: BinaryIO, spool_dir: Path | None) -> None:
        self._file = file
        self._spool_dir = spool_dir
        self._directory = Spool(spool_dir)
        self._hash = hashlib.sha256()
        self._offset = 0
        self.entries = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._directory.close()

    def add(
        self,
        name: str,
        data: bytes | Iterable[bytes],
        modified: datetime | None = None,
        *,
        stored: bool = False,
    ) -> None:
        """Add an entry ``name``, with ``/`` between folders; names are not checked.

        Bytes are compressed as a whole in memory, chunks one after the other. ``modified`` is kept in UTC to
        two seconds, None as the start of 1980. ``stored`` leaves the data uncompressed.
        """
        method, time = STORED if stored else DEFLATED, dos_time(modified)
        if isinstance(data, bytes):
            packed = data if stored else zlib.compress(data, _LEVEL, _RAW)
            crc, size = zlib.crc32(data), len(data)
            self._begin(Entry(name.encode(), method, time, crc, len(packed), size, self._offset), packed)
            return
        spool = Spool(self._spool_dir)
        try:
            crc = size = 0
            compress = None if stored else zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW)
            for chunk in data:
                crc = zlib.crc32(chunk, crc)
                size += len(chunk)
                spool.write(compress.compress(chunk) if compress else chunk)
            if compress:
                spool.write(compress.flush())
            self._begin(Entry(name.encode(), method, time, crc, spool.size, size, self._offset), b"")
            for chunk in spool.chunks():
                self._write(chunk)
        finally:
            spool.close()

    def close(self) -> ArchiveDigest:
        """Write the directory and the comment, flush, and return the digest of the file."""
        offset = self._offset
        for chunk in self._directory.chunks():
            self._write(chunk)
        self._write(end_records(self.entries, self._directory.size, offset, COMMENT_BYTES))
        self._write(DIGEST_PREFIX + self._hash.hexdigest().encode())
        self._file.flush()
        self._directory.close()
        return ArchiveDigest(self._offset, self._hash.hexdigest())

    def _begin(self, entry: Entry, start: bytes) -> None:
        """Write an entry's header and the start of its data."""
        self._write(local_header(entry) + start)
        self._directory.write(central_record(entry))
        self.entries += 1

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self._hash.update(data)
        self._offset += len(data)
