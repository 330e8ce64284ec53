"""Clears away, every ten seconds or so, what is over: any worker process does it for all."""

import logging
import random

import psycopg

from worker import calls
from worker.archive_store import ArchiveStore
from worker.drain import Drain
from worker.link import Link

_FILES_A_CALL = 1000

_logger = logging.getLogger(__name__)


def keep_house(link: Link, worker: str, store: ArchiveStore | None, drain: Drain) -> None:
    """Sweep now and then until the process ends; a sweep that failed is left to the next.

    ``store``: the backup folder, where this worker has one.
    """
    while not drain.begun:
        try:
            counts = link.call(calls.sweep, worker)
            if any(counts.values()):
                _logger.info("swept", extra={"counts": counts})
            if store is not None:
                _sweep_archives(link, store)
        except psycopg.Error:
            pass  # the link has told
        except Exception:
            _logger.exception("a sweep failed")
        drain.wait(random.uniform(8, 12))  # noqa: S311 (spreads load, guards nothing)


def _sweep_archives(link: Link, store: ArchiveStore) -> None:
    """Remove the files that jobs left behind, and archives that were deleted."""
    try:
        names = store.names()
    except OSError as error:
        _logger.error("the backup folder cannot be read", extra={"error": str(error)})  # noqa: TRY400 (says it all)
        return
    for first in range(0, len(names), _FILES_A_CALL):
        for name in link.call(calls.judge_archives, names[first : first + _FILES_A_CALL]):
            store.remove(name)
