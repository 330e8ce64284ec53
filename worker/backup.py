"""The kind ``backup``: a workspace, read at one moment, becomes an archive in the backup folder."""

import logging
import time
from typing import Any

from knowledgehub.archive.backup_writer import BackupWriter, Member
from knowledgehub.archive.page_file import BackupPage
from worker.archive_store import ArchiveStore
from worker.calls import ReadCourse, ReadTooLongError
from worker.consistent_read import ConsistentRead, ReadLostError
from worker.handlers import HandledJob, JobFailedError
from worker.lease import LeaseLostError

CHECKPOINT_SECONDS = 0.5
"""How long work goes on at most without the job being asked whether it still should."""

PROGRESS_SECONDS = 0.25
"""How long to work on at most, batch by batch, without saving how far the job is; that asks, too."""

PAUSES = (1, 2, 4, 8, 16)
"""Seconds to wait before each further consistent read of a claim, after the one before was lost."""

_logger = logging.getLogger(__name__)


class Backup:
    """Makes backups: call it with the job. ``url`` leads to the server itself, not to a pooler."""

    def __init__(self, url: str, application_name: str, store: ArchiveStore) -> None:
        self._url = url
        self._application_name = application_name
        self._store = store

    def __call__(self, job: HandledJob) -> dict[str, Any]:
        """Do the whole job; return its result."""
        job.checkpoint()
        pace = _Pace(job)
        for pause in (*PAUSES, None):
            try:
                return self._back_up(job, pace)
            except ReadLostError as lost:
                _logger.warning("the consistent read was lost", exc_info=lost)
            except ReadTooLongError:
                reason = "a consistent read was open for longer than the setting MaxBackupSeconds allows"
                raise JobFailedError("worker_error", reason) from None
            except LeaseLostError:
                # A server that lags behind, which the read may be led to, does not know the lease yet.
                job.checkpoint()
                _logger.warning("the consistent read does not know the lease")
            if pause is not None:
                pace.progress(0, 0)
                pace.wait(pause)
        raise JobFailedError("worker_error", f"{len(PAUSES) + 1} consistent reads were lost")

    def _back_up(self, job: HandledJob, pace: "_Pace") -> dict[str, Any]:
        with (
            self._store.new_archive(job.id, pace.checkpoint) as archive,
            ConsistentRead(self._url, self._application_name, job.id, job.token, pace.checkpoint) as read,
        ):
            workspace = read.workspace()
            pace.progress(workspace.pages, 0)
            with BackupWriter(
                archive.file,
                workspace_id=workspace.id,
                workspace_title=workspace.title,
                spool_dir=self._store.folder,
            ) as writer:
                for part in read.contents():
                    if isinstance(part, ReadCourse):
                        writer.start_course(part.id, part.title)
                        continue
                    for page in part:
                        pace.checkpoint()
                        writer.add_page(
                            BackupPage(page.id, page.title, page.content, page.tags, page.updated_at)
                        )
                    pace.progress(workspace.pages, writer.pages)
                digest = writer.finish((Member(*member) for member in read.members()), pace.checkpoint)
            archive.seal(digest)
            job.checkpoint()
        job.undo_unless_succeeded(lambda: self._store.remove(archive.name))
        return {
            "archive": archive.name,
            "bytes": digest.bytes,
            "pages": writer.pages,
            "sha256": digest.sha256,
        }


class _Pace:
    """Asks often enough, and not all the time, whether the job is to go on; raises WorkStopped if not."""

    def __init__(self, job: HandledJob) -> None:
        self._job = job
        self._saved_at = self._asked_at = time.monotonic()

    def checkpoint(self) -> None:
        """Ask, unless that was done a moment ago."""
        if time.monotonic() - self._asked_at >= CHECKPOINT_SECONDS:
            self._job.checkpoint()
            self._asked_at = time.monotonic()

    def progress(self, total: int, processed: int) -> None:
        """Save how far the job is, and ask, unless that was done a moment ago and there is more to come."""
        if processed in {0, total} or time.monotonic() - self._saved_at >= PROGRESS_SECONDS:
            self._job.progress(total, processed)
            self._job.stop_if_asked()
            self._saved_at = self._asked_at = time.monotonic()

    def wait(self, seconds: float) -> None:
        """Let time pass, asking all the while."""
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0:
            time.sleep(min(rest, CHECKPOINT_SECONDS))
            self.checkpoint()
