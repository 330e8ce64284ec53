"""Bytes put aside until they are wanted."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

_CHUNK = 1024 * 1024


class Spool:
    """An unnamed temporary file in ``folder``: written first, then read once from its beginning.

    Memory stays flat, and the file is gone with the process in any case. Every method may raise OSError.
    """

    def __init__(self, folder: Path | None) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (closed by close)
        self.size = 0

    def write(self, data: bytes) -> None:
        """Append ``data``."""
        self._file.write(data)
        self.size += len(data)

    def chunks(self) -> Iterator[bytes]:
        """Read all, a bounded piece at a time."""
        self._file.seek(0)
        while chunk := self._file.read(_CHUNK):
            yield chunk

    def close(self) -> None:
        """Give the space back; a second time does nothing."""
        self._file.close()
