"""Wakes slots when the database says that a job was queued. A hint only: slots look by themselves, too."""

import logging

import psycopg

from knowledgehub.backoff import Backoff
from worker.calls import Connection
from worker.drain import Drain
from worker.link import Link
from worker.wake_up import WakeUp

_CHANNEL = "knowledgehub_queue"
_logger = logging.getLogger(__name__)


def listen(link: Link, wake_up: WakeUp, drain: Drain) -> None:
    """Listen until the process ends, on the link's own connection, which is made again when it is lost."""
    backoff = Backoff()

    def listen_on(connection: Connection) -> None:
        connection.execute(f"LISTEN {_CHANNEL}")
        backoff.reset()
        # What was queued while nobody listened.
        wake_up.wake_all()
        for _ in connection.notifies():
            wake_up.wake_one()

    while not drain.begun:
        try:
            link.call(listen_on)
        except psycopg.Error:
            pass  # the link has told
        except Exception:
            _logger.exception("the listener failed")
        drain.wait(backoff.next_seconds())
