"""Clears away, every ten seconds or so, what is over: any worker process does it for all."""

import logging
import random

import psycopg

from worker import calls
from worker.drain import Drain
from worker.link import Link

_logger = logging.getLogger(__name__)


def keep_house(link: Link, worker: str, drain: Drain) -> None:
    """Sweep now and then until the process ends; a sweep that failed is left to the next."""
    while not drain.begun:
        try:
            counts = link.call(calls.sweep, worker)
            if any(counts.values()):
                _logger.info("swept", extra={"counts": counts})
        except psycopg.Error:
            pass  # the link has told
        except Exception:
            _logger.exception("a sweep failed")
        drain.wait(random.uniform(8, 12))  # noqa: S311 (spreads load, guards nothing)
