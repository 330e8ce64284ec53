"""The backup folder: archives written, verified and removed in it.

A file is named by its job and a random suffix of the claim, so that nobody ever writes another's file: a
worker that was thought dead and comes back meets only its own.
"""

import errno
import hashlib
import io
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from uuid import UUID

from knowledgehub.archive.file_names import is_archive, new_name
from knowledgehub.archive.writer import ArchiveDigest
from worker.handlers import JobFailedError, WorkStopped

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}
_BUFFER_BYTES = 1024 * 1024
_UNSYNCED_BYTES = 16 * 1024 * 1024

_logger = logging.getLogger(__name__)

Checkpoint = Callable[[], None]
"""Called often during long work; may raise what ends it."""


class NewArchive:
    """An archive that is being written to ``file``."""

    def __init__(self, path: Path, checkpoint: Checkpoint) -> None:
        self.name = path.name
        self._path = path
        self._checkpoint = checkpoint
        self.file: BinaryIO = io.BufferedWriter(_File(path, checkpoint), _BUFFER_BYTES)

    def seal(self, digest: ArchiveDigest) -> None:
        """Bring the archive to the disk, and make sure that what is there is what was written.

        Raises OSError, and :class:`JobFailedError` when it is not.
        """
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        _sync_folder(self._path.parent)
        if self._read_digest() != digest:
            raise JobFailedError("storage_error", f"{self._path} reads otherwise than it was written")

    def _read_digest(self) -> ArchiveDigest:
        read = hashlib.sha256()
        size = 0
        with self._path.open("rb", buffering=0) as file:
            # From the disk, not from memory, as far as the system lets us say so.
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            while chunk := file.read(_BUFFER_BYTES):
                read.update(chunk)
                size += len(chunk)
                self._checkpoint()
        return ArchiveDigest(size, read.hexdigest())


class _File(io.FileIO):
    """A new file, its owner's only. Little of it is ever left to the last fsync, which nothing can stop."""

    def __init__(self, path: Path, checkpoint: Checkpoint) -> None:
        super().__init__(path, "x", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW, 0o600))
        self._checkpoint = checkpoint
        self._unsynced = 0

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write and checkpoint."""
        self._checkpoint()
        written = super().write(data)
        self._unsynced += written
        if self._unsynced >= _UNSYNCED_BYTES:
            os.fdatasync(self.fileno())
            self._unsynced = 0
        return written


class ArchiveStore:
    """The archives in ``folder``, which several workers may share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def make_folder(self) -> None:
        """Make the folder, for its owner only, if it is not there; where that fails backups will, too.

        Only a worker that starts does so: a folder that vanishes later may be a disk that is not mounted.
        """
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            _logger.error("the backup folder cannot be made", extra={"error": str(error)})  # noqa: TRY400

    @contextmanager
    def new_archive(self, job_id: UUID, checkpoint: Checkpoint) -> Iterator[NewArchive]:
        """Create an archive for a claim of a job; it is removed unless the block ends well.

        What goes wrong with the file, also in the block, becomes :class:`JobFailedError`.
        """
        name = new_name(job_id)
        try:
            archive = NewArchive(self.folder / name, checkpoint)
            try:
                yield archive
            except BaseException:
                with suppress(OSError, WorkStopped):
                    archive.file.close()
                self.remove(name)
                raise
        except OSError as error:
            code = "storage_full" if error.errno in _NO_ROOM else "storage_error"
            raise JobFailedError(code, f"the backup folder {self.folder}: {error}") from error

    def names(self) -> list[str]:
        """Return the names of all files that workers have made. Raises OSError."""
        return [path.name for path in self.folder.iterdir() if is_archive(path.name)]

    def remove(self, name: str) -> None:
        """Remove a file if it is there; where that fails, it is left to a later sweep."""
        try:
            (self.folder / name).unlink(missing_ok=True)
        except OSError as error:
            _logger.error("a file of the backup folder cannot be removed", extra={"error": str(error)})  # noqa: TRY400


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
