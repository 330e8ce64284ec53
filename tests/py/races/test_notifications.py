"""Whom a job's changes are told to, once they are committed."""

import pytest

from tests.py.races.world import Claim, Connection, World
from tests.server import Database

JOB, QUEUE = "knowledgehub_job", "knowledgehub_queue"


class Listener:
    """Listens on both channels."""

    def __init__(self, database: Database) -> None:
        self._connection = database.as_superuser()
        for channel in (JOB, QUEUE):
            self._connection.execute(f"LISTEN {channel}".encode())

    def told(self) -> list[tuple[str, str]]:
        """Return the channels and payloads of what was told since the last time."""
        self._connection.execute(f"NOTIFY {JOB}, 'end'".encode())
        found: list[tuple[str, str]] = []
        for notification in self._connection.notifies(timeout=10):
            if notification.payload == "end":
                return found
            found.append((notification.channel, notification.payload))
        pytest.fail("no end was told")


@pytest.fixture
def world(database: Database) -> World:
    return World(database.as_superuser())


@pytest.fixture
def listener(database: Database) -> Listener:
    return Listener(database)


def test_workers_are_told_when_a_job_is_queued_and_streams_of_every_change(
    world: World, listener: Listener, database: Database
) -> None:
    worker = database.as_role("hub_worker")
    job = str(world.new_job())
    assert listener.told() == [(JOB, job), (QUEUE, job)]
    claim = claimed(world, worker)
    assert listener.told() == [(JOB, job)]
    assert world.release(worker, claim) == "queued"
    assert listener.told() == [(JOB, job), (QUEUE, job)]
    claim = claimed(world, worker)
    assert world.advance(worker, claim, 1000) == "ended"
    # Told more than once: what is told in a subtransaction is not merged with the rest.
    assert set(listener.told()) == {(JOB, job)}


def claimed(world: World, worker: Connection) -> Claim:
    claim = world.claim(worker)
    assert claim is not None
    return claim
