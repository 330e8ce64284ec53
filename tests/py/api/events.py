"""Reading an event stream."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx


@dataclass(frozen=True)
class Event:
    """One event as it came over the wire."""

    name: str
    id: str | None
    data: str

    @property
    def version(self) -> int:
        """The id as a version."""
        assert self.id is not None
        return int(self.id)


class EventStream:
    """An open stream; heartbeats are left out unless asked for."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self._lines = response.iter_lines()

    def next(self, seconds: float = 10, *, heartbeats: bool = False) -> Event | None:
        """Return the next event, or None at the stream's end; fail when neither comes in time."""
        deadline = time.monotonic() + seconds
        fields: dict[str, str] = {}
        for line in self._lines:
            assert time.monotonic() < deadline, f"nothing within {seconds} s"
            if line:
                name, colon, value = line.partition(": ")
                assert colon, line
                assert name not in fields, line
                fields[name] = value
                continue
            event = Event(fields["event"], fields.get("id"), fields["data"])
            if heartbeats or event.name != "hb":
                return event
            fields = {}
        assert not fields, "the stream ended within an event"
        return None

    def rest(self, seconds: float = 10) -> list[Event]:
        """Return all events to the stream's end."""
        events = []
        while (event := self.next(seconds)) is not None:
            events.append(event)
        return events


@contextmanager
def streaming(client: httpx.Client, job_path: str, **headers: str) -> Iterator[EventStream]:
    """Open the stream of a job."""
    with client.stream("GET", f"{job_path}/events", headers=headers) as response:
        if response.status_code == httpx.codes.OK:
            assert response.headers["content-type"] == "text/event-stream"
        else:
            response.read()
        yield EventStream(response)
