"""The event stream of a job."""

import json
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from uuid import UUID

import httpx
import pytest

from api.server import POOL_SIZE
from api.stream import STREAMS_A_SESSION
from tests.py.api.client import Client, assert_problem, tagging
from tests.py.api.conftest import Place, StartApi, make_place
from tests.py.api.events import Event, streaming
from tests.py.api.hub import Hub, Person, wait_until

Loss = Callable[[Person, Client], object]

LATER_READ_SECONDS = 4  # less than the timer behind the notifications


def new_job(place: Place, pages: int = 3) -> UUID:
    course = place.hub.add_course(place.workspace, pages)
    return place.hub.add_job(place.administrator, place.workspace, course)


def job_path(place: Place, job: UUID) -> str:
    return f"{place.path}/jobs/{job}"


def expect(event: Event | None, name: str) -> Event:
    assert event is not None, f"the stream ended before {name}"
    assert event.name == name, event
    return event


def test_a_stream_tells_a_jobs_life_to_its_end(place: Place) -> None:
    job = new_job(place)
    with streaming(place.client, job_path(place, job)) as stream:
        assert stream.response.headers["x-accel-buffering"] == "no"
        assert stream.response.headers["cache-control"] == "no-store"
        assert json.loads(expect(stream.next(), "snapshot").data)["state"] == "queued"
        lease = place.hub.claim(job)
        assert json.loads(expect(stream.next(LATER_READ_SECONDS), "snapshot").data)["state"] == "running"
        while place.hub.advance(lease, 1) == "continue":
            pass
        events = stream.rest(LATER_READ_SECONDS)
    assert [event.name for event in events][-1:] == ["terminal"]
    assert {event.name for event in events[:-1]} <= {"snapshot"}
    last = json.loads(events[-1].data)
    assert (last["state"], last["progress"]["changed"]) == ("succeeded", 3)
    versions = [event.version for event in events]
    assert versions == sorted(set(versions))
    assert versions[-1] == last["version"]


def test_poll_and_stream_give_the_same_bytes(place: Place) -> None:
    job = new_job(place)
    with streaming(place.client, job_path(place, job)) as stream:
        lease = None
        for name in ("snapshot", "snapshot", "terminal"):
            event = expect(stream.next(), name)
            poll = place.api.client(place.client.token).get(job_path(place, job))
            assert event.data.encode() == poll.content
            assert f'"{event.id}"' == poll.headers["etag"]
            if lease is None:
                lease = place.hub.claim(job)
            elif name == "snapshot":
                place.hub.advance(lease)


def test_a_job_that_ended_gives_its_end_only(place: Place) -> None:
    job = new_job(place)
    place.hub.complete(job)
    poll = place.client.get(job_path(place, job))
    for last_id in (None, poll.headers["etag"].strip('"'), "999999"):
        headers = {} if last_id is None else {"Last-Event-ID": last_id}
        with streaming(place.client, job_path(place, job), **headers) as stream:
            (event,) = stream.rest()
        assert (event.name, event.data.encode()) == ("terminal", poll.content)


@pytest.mark.parametrize("last_id", ["", "0", "1", "-1", "9" * 400, "x", "%00", '"1"', "\xff", "1, 2"])
def test_last_event_id_suppresses_nothing(place: Place, last_id: str) -> None:
    job = new_job(place)
    request = place.client.build_request("GET", job_path(place, job) + "/events")
    headers = [*request.headers.raw, (b"Last-Event-ID", last_id.encode("latin-1"))]
    with place.client.stream("GET", job_path(place, job) + "/events", headers=headers) as response:
        assert response.status_code == 200
        text = next(response.iter_text())
    assert text.startswith("event: snapshot\nid: 1\ndata: {")


def test_only_versions_carry_ids(place: Place) -> None:
    job = new_job(place)
    with streaming(place.client, job_path(place, job)) as stream:
        assert expect(stream.next(), "snapshot").id == "1"
        heartbeat = expect(stream.next(15, heartbeats=True), "hb")
        assert heartbeat == Event("hb", None, "{}")
        place.hub.cancel(job)
        assert expect(stream.next(), "terminal").version > 1


def test_changes_of_a_burst_that_were_not_notified_show(place: Place) -> None:
    """Notifications of a running job are thinned out, so the last change of a burst has none of its own."""
    job = new_job(place, 20)
    with streaming(place.client, job_path(place, job)) as stream:
        expect(stream.next(), "snapshot")
        lease = place.hub.claim(job)
        expect(stream.next(), "snapshot")
        for _ in range(3):
            assert place.hub.advance(lease, 1) == "continue"
        version = place.hub.one("SELECT version FROM jobs_store.job WHERE id = %s", job)
        started = time.monotonic()
        while expect(stream.next(), "snapshot").version < version:
            pass
        assert time.monotonic() - started < 1


def test_a_change_without_any_notification_shows_within_five_seconds(place: Place) -> None:
    job = new_job(place)
    with streaming(place.client, job_path(place, job)) as stream:
        expect(stream.next(), "snapshot")
        place.hub.connection.execute("UPDATE jobs_store.job SET version = 7 WHERE id = %s", (job,))
        started = time.monotonic()
        assert expect(stream.next(), "snapshot").version == 7
        assert time.monotonic() - started < 6


def test_a_version_that_fell_is_shown(place: Place) -> None:
    """After a restored database it may; the stream then shows what is, and goes on."""
    job = new_job(place)
    place.hub.connection.execute("UPDATE jobs_store.job SET version = 7 WHERE id = %s", (job,))
    with streaming(place.client, job_path(place, job)) as stream:
        assert expect(stream.next(), "snapshot").version == 7
        place.hub.connection.execute("UPDATE jobs_store.job SET version = 3 WHERE id = %s", (job,))
        place.hub.connection.execute("SELECT pg_notify('knowledgehub_job', %s)", (str(job),))
        assert expect(stream.next(), "snapshot").version == 3


def test_a_terminal_state_is_sent_even_when_its_version_was(place: Place) -> None:
    job = new_job(place)
    with streaming(place.client, job_path(place, job)) as stream:
        version = expect(stream.next(), "snapshot").version
        place.hub.connection.execute(
            "UPDATE jobs_store.job SET state = 'cancelled', cancel_requested_at = now(), finished_at = now()"
            " WHERE id = %s",
            (job,),
        )
        place.hub.connection.execute("SELECT pg_notify('knowledgehub_job', %s)", (str(job),))
        (event,) = stream.rest(LATER_READ_SECONDS)
        assert (event.name, event.version) == ("terminal", version)


def test_a_change_at_any_moment_of_connecting_reaches_the_stream(place: Place) -> None:
    """Twenty jobs end while their streams are being opened; each stream tells so."""
    for _ in range(20):
        job = new_job(place, 1)
        lease = place.hub.claim(job)
        with place.client.stream("GET", job_path(place, job) + "/events") as response:
            place.hub.advance(lease)
            started = time.monotonic()
            text = "".join(response.iter_text())
            assert time.monotonic() - started < LATER_READ_SECONDS
        assert text.count("event: terminal\n") == 1
        assert text.rstrip().rpartition("\n")[2].startswith("data: {")


def test_notifications_of_strangers_do_no_harm(place: Place) -> None:
    job = new_job(place)
    with streaming(place.client, job_path(place, job)) as stream:
        expect(stream.next(), "snapshot")
        for payload in ("", "nonsense", "x" * 7000, str(job).upper(), "00000000-0000-0000-0000-000000000000"):
            place.hub.connection.execute("SELECT pg_notify('knowledgehub_job', %s)", (payload,))
        place.hub.cancel(job)
        expect(stream.next(LATER_READ_SECONDS), "terminal")


def test_a_lost_session_or_right_ends_the_stream(place: Place) -> None:
    job = new_job(place)
    hub = place.hub
    losses: list[Loss] = [
        lambda person, _: hub.set_enabled(person, enabled=False),
        lambda _, client: client.delete("/api/session"),
        lambda person, _: hub.join(person, place.workspace, enabled=False),
        lambda person, _: hub.join(person, place.workspace, "editor"),
        lambda _, client: hub.age_session(client.token or "", "last_seen_at", "31 minutes"),
    ]
    with ExitStack() as stack:
        unconcerned = stack.enter_context(streaming(place.client, job_path(place, job)))
        expect(unconcerned.next(), "snapshot")
        streams = []
        for lose in losses:
            person = hub.add_person()
            hub.join(person, place.workspace)
            client = place.api.client(hub.sign_in(person))
            stream = stack.enter_context(streaming(client, job_path(place, job)))
            expect(stream.next(), "snapshot")
            lose(person, client)
            streams.append(stream)
        started = time.monotonic()
        for stream in streams:
            assert stream.rest() == [Event("gone", None, "{}")]
        assert time.monotonic() - started < 6
        hub.cancel(job)
        expect(unconcerned.next(), "terminal")


def test_who_lost_the_right_gets_no_later_state(place: Place) -> None:
    """The snapshot that a change brings and the rights to it are read together."""
    job = new_job(place)
    colleague = place.hub.add_person()
    place.hub.join(colleague, place.workspace)
    client = place.api.client(place.hub.sign_in(colleague))
    with streaming(client, job_path(place, job)) as stream:
        expect(stream.next(), "snapshot")
        place.hub.join(colleague, place.workspace, "reader")
        place.hub.cancel(job)
        assert [event.name for event in stream.rest()] == ["gone"]


def test_streams_do_not_extend_the_session(place: Place) -> None:
    job = new_job(place)
    token = place.client.token
    assert token
    place.hub.age_session(token, "last_seen_at", "10 minutes")
    with streaming(place.client, job_path(place, job)) as stream:
        expect(stream.next(), "snapshot")
        place.hub.cancel(job)
        stream.rest()
    assert place.hub.session_age(token) > 590


def test_a_session_may_have_ten_streams(place: Place) -> None:
    job = new_job(place)
    with ExitStack() as stack:
        streams = [
            stack.enter_context(streaming(place.client, job_path(place, job)))
            for _ in range(STREAMS_A_SESSION)
        ]
        for stream in streams:
            expect(stream.next(), "snapshot")
        with streaming(place.client, job_path(place, job)) as refused:
            assert_problem(refused.response, 429, "stream-limit")
        other_session = place.api.client(place.hub.sign_in(place.administrator))
        with streaming(other_session, job_path(place, job)) as stream:
            expect(stream.next(), "snapshot")
        streams[0].response.close()

        def has_room() -> bool:
            with place.client.stream("GET", job_path(place, job) + "/events") as response:
                return response.status_code == httpx.codes.OK

        wait_until(has_room, "the closed stream's place is free", 15)


def test_no_request_gets_past_the_limit_while_others_are_about_to_stream(place: Place) -> None:
    """The server waits a while for the rest of a body, between the check and the stream."""
    job = new_job(place)
    request = (
        f"GET {job_path(place, job)}/events HTTP/1.1\r\nHost: x\r\nCookie: session={place.client.token}\r\n"
        "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"
    )
    with ExitStack() as stack:
        connections = [
            stack.enter_context(socket.create_connection(("127.0.0.1", place.api.port), timeout=10))
            for _ in range(STREAMS_A_SESSION + 15)
        ]
        for connection in connections:
            connection.sendall(request.encode())
        statuses = [connection.recv(len("HTTP/1.1 200")) for connection in connections]
    assert statuses.count(b"HTTP/1.1 200") == STREAMS_A_SESSION
    assert statuses.count(b"HTTP/1.1 429") == 15


def test_many_streams_leave_the_pool_to_others(own_hub: Hub, start_api: StartApi) -> None:
    place = make_place(own_hub, start_api())
    own_hub.set("CreationsPerMinutePerAddress", 1000)
    job = new_job(place)
    with ExitStack() as stack:
        streams = []
        for number in range(POOL_SIZE + 20):
            if number % STREAMS_A_SESSION == 0:
                client = place.api.client(own_hub.sign_in(place.administrator))
            streams.append(stack.enter_context(streaming(client, job_path(place, job))))
        for stream in streams:
            expect(stream.next(), "snapshot")
        started = time.monotonic()
        assert place.client.create_job(place.workspace, tagging(place.course)).status_code == 201
        assert time.monotonic() - started < 1
        started = time.monotonic()
        assert place.client.get(f"{place.path}/jobs").status_code == 200
        assert time.monotonic() - started < 1
        assert place.client.get("/readyz").status_code == 200
        own_hub.cancel(job)
        started = time.monotonic()
        for stream in streams:
            (event,) = stream.rest()
            assert event.name == "terminal"
        assert time.monotonic() - started < LATER_READ_SECONDS


def test_two_processes_tell_of_each_others_changes(own_hub: Hub, start_api: StartApi) -> None:
    place = make_place(own_hub, start_api())
    other = start_api()
    job = new_job(place)
    with streaming(other.client(place.client.token), job_path(place, job)) as stream:
        expect(stream.next(), "snapshot")
        assert place.client.post(job_path(place, job) + "/cancel").status_code == 200
        expect(stream.next(LATER_READ_SECONDS), "terminal")
