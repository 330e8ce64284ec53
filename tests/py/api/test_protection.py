"""What keeps floods small and strangers out: addresses, the budget and the throttle, over processes."""

import asyncio
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx
import pytest

from api.stream import HEARTBEAT_SECONDS
from knowledgehub.embedded import SUPERUSER
from knowledgehub.migrate import create_roles
from tests.py.api.client import Client, assert_problem, tagging
from tests.py.api.conftest import Place, StartApi, make_place
from tests.py.api.events import streaming
from tests.py.api.hub import PASSWORD, Hub, csrf_token
from tests.py.api.process import ApiProcess
from tests.server import Database, Server

BEHIND_A_PROXY = {"KNOWLEDGEHUB_TRUSTED_PROXIES": "127.0.0.0/8"}
FLOOD = 10_000
FLOOD_AT_ONCE = 60


@pytest.fixture
def proxied(own_hub: Hub, start_api: StartApi) -> Place:
    """A workspace at a process that believes X-Forwarded-For of this machine."""
    return make_place(own_hub, start_api(**BEHIND_A_PROXY))


@pytest.fixture(scope="module")
def shared_proxied(
    server: Server, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """The same for the tests that keep to addresses of their own."""
    database = Database(server, "hub_api_proxied")
    server.create_database(database.name, template)
    create_roles(database.url(SUPERUSER))
    hub = Hub(database)
    for setting in ("MaxPendingPerActor", "MaxPendingPerWorkspace", "CreationsPerMinutePerAddress"):
        hub.set(setting, 1000)
    log = tmp_path_factory.mktemp("api") / "api.log"
    api = ApiProcess(log, database.url("hub_api"), **BEHIND_A_PROXY)
    try:
        api.wait_until("/readyz")
        yield make_place(hub, api)
    finally:
        api.kill()
        database.close()
        server.drop_database(database.name)


def sign_in(
    client: Client, email: str, password: str = PASSWORD, address: str | None = None
) -> httpx.Response:
    headers = {"X-CSRF-Token": "login"} | ({"X-Forwarded-For": address} if address else {})
    return client.post("/api/session", json={"email": email, "password": password}, headers=headers)


def create(place: Place, address: str | None, api: ApiProcess | None = None) -> httpx.Response:
    """Ask for a job that is refused for its shape: past the budget, the answer is 422."""
    with (api or place.api).new_client(place.client.token) as client:
        headers = {"X-Forwarded-For": address} if address else {}
        return client.create_job(place.workspace, {}, **headers)


@pytest.mark.parametrize(
    ("lines", "address"),
    [
        ([], "127.0.0.1"),
        ([""], "127.0.0.1"),
        (["1.1.1.1, 198.51.100.7"], "198.51.100.7"),
        (["198.51.100.7, 127.9.9.9"], "198.51.100.7"),
        (["127.1.1.1, 127.2.2.2"], "127.1.1.1"),
        (["198.51.100.7", "1.1.1.1, 127.2.2.2"], "1.1.1.1"),
        (["::ffff:c633:6407"], "198.51.100.7"),
        (["198.51.100.7:51234"], "198.51.100.7"),
        (["[2001:db8::1]:443"], "2001:db8::1"),
        (["fe80::1%eth0"], "127.0.0.1"),
        (["198.51.100.7, _hidden"], "127.0.0.1"),
        (["198.51.100.7, unknown, 127.2.2.2"], "127.2.2.2"),
        (["198.51.100.007"], "127.0.0.1"),
    ],
)
def test_behind_a_proxy_the_trail_names_the_clients_address(
    shared_proxied: Place, lines: list[str], address: str
) -> None:
    place = shared_proxied
    headers = [
        *place.client.headers.raw,
        (b"Content-Type", b"application/json"),
        (b"Idempotency-Key", uuid4().hex.encode()),
        *((b"X-Forwarded-For", line.encode()) for line in lines),
        (b"Forwarded", b"for=192.0.2.1"),
        (b"X-Real-IP", b"192.0.2.1"),
    ]
    response = httpx.post(
        f"{place.api.address}{place.path}/jobs",
        content=json.dumps(tagging(place.course)),
        headers=headers,
    )
    assert response.status_code == 201, response.text
    job = response.json()["id"]
    (event,) = place.client.get(f"{place.path}/jobs/{job}/audit").json()["events"]
    assert event["address"] == address
    assert place.hub.one("SELECT count(*) FROM jobs_store.request_budget WHERE address = %s", address) == 1


def test_a_stranger_cannot_choose_his_address(own_hub: Hub, start_api: StartApi) -> None:
    place = make_place(own_hub, start_api(KNOWLEDGEHUB_TRUSTED_PROXIES="127.0.0.2,10.0.0.0/8"))
    for number in range(10):
        assert create(place, f"198.51.100.{number}").status_code == 422
    assert_problem(create(place, "198.51.100.99"), 429, "request-budget")
    assert own_hub.one("SELECT array_agg(address) FROM jobs_store.request_budget") == ["127.0.0.1"]


def test_exactly_ten_of_forty_pass_over_two_processes_and_a_restart(
    own_hub: Hub, start_api: StartApi
) -> None:
    first, second = start_api(**BEHIND_A_PROXY), start_api(**BEHIND_A_PROXY)
    place = make_place(own_hub, first)

    def ask(number: int) -> httpx.Response:
        return create(place, "198.51.100.7", (first, second)[number % 2])

    with ThreadPoolExecutor(40) as threads:
        answers = list(threads.map(ask, range(40)))
    assert Counter(answer.status_code for answer in answers) == {422: 10, 429: 30}
    for answer in answers:
        if answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
            assert_problem(answer, 429, "request-budget")
            assert 50 <= int(answer.headers["retry-after"]) <= 60
    assert create(place, "198.51.100.8").status_code == 422
    for api in (first, second):
        api.kill()
    again = start_api(**BEHIND_A_PROXY)
    assert_problem(create(place, "198.51.100.7", again), 429, "request-budget")
    own_hub.connection.execute(
        "UPDATE jobs_store.request_budget"
        " SET times = array_fill(clock_timestamp() - interval '57 s', ARRAY[10])"
    )
    wait = int(create(place, "198.51.100.7", again).headers["retry-after"])
    assert 1 <= wait <= 3
    time.sleep(wait)
    assert create(place, "198.51.100.7", again).status_code == 422


def test_a_request_for_a_job_is_judged_in_the_documented_order(own_place: Place) -> None:
    """It begins with every fault there is; each line mends the first one and shows the next."""
    hub, place = own_place.hub, own_place
    person = hub.add_person()
    stranger = make_place(hub, place.api)
    hub.join(person, place.workspace)
    token = hub.sign_in(person)
    client = place.api.client(token)
    assert client.create_job(place.workspace, tagging(place.course, "first"), "used").status_code == 201
    hub.connection.execute("DELETE FROM hub_store.membership WHERE user_id = %s", (person.id,))
    hub.set("CreationsPerMinutePerAddress", 1)
    hub.set("MaxPendingPerWorkspace", 0)
    hub.set("MaxCoursePages", 1)
    headers = {"Cookie": "session=none", "X-CSRF-Token": "no", "Origin": place.api.origin}
    body: dict[str, Any] = tagging(stranger.course) | {"unknown": 1}
    content = {"text": "[" * 70_000}

    def use_session() -> None:
        headers["Cookie"] = f"session={token}"

    def set_content(text: str) -> None:
        content["text"] = text

    def join(role: str) -> None:
        hub.join(person, place.workspace, role)

    faults: list[tuple[Callable[[], object], int, str]] = [
        (lambda: None, 401, "unauthenticated"),
        (use_session, 403, "csrf"),
        (lambda: headers.update({"X-CSRF-Token": csrf_token(token)}), 415, "media-type"),
        (lambda: headers.update({"Content-Type": "application/json"}), 413, "too-large"),
        (lambda: set_content("{"), 400, "malformed"),
        (lambda: set_content(json.dumps(body)), 400, "idempotency-key-required"),
        (lambda: headers.update({"Idempotency-Key": "no key"}), 400, "idempotency-key-invalid"),
        (lambda: headers.update({"Idempotency-Key": "used"}), 429, "request-budget"),
        (lambda: hub.set("CreationsPerMinutePerAddress", 1000), 404, "not-found"),
        (lambda: join("reader"), 403, "not-administrator"),
        (lambda: join("administrator"), 422, "validation"),
        (lambda: set_content(json.dumps(tagging(stranger.course))), 409, "idempotency-key-reused"),
        (lambda: headers.update({"Idempotency-Key": "new"}), 422, "validation"),
        (lambda: set_content(json.dumps(tagging(place.course))), 422, "course-too-large"),
        (lambda: hub.set("MaxCoursePages", 100), 429, "capacity"),
    ]
    path = f"{place.api.address}{place.path}/jobs"
    for mend, status, code in faults:
        mend()
        problem = assert_problem(httpx.post(path, content=content["text"], headers=headers), status, code)
        if code == "validation":
            shown = {error["pointer"] for error in problem["errors"]}
            assert shown == ({"/unknown"} if headers["Idempotency-Key"] == "used" else {"/course_id"})
    hub.set("MaxPendingPerWorkspace", 10)
    assert httpx.post(path, content=content["text"], headers=headers).status_code == 201


def test_a_session_that_the_operator_ends_takes_its_streams_along(
    own_place: Place, database: Database
) -> None:
    hub, place = own_place.hub, own_place
    job = hub.add_job(place.administrator, place.workspace, place.course)
    operator = database.as_role("hub_operator")
    with streaming(place.client, f"{place.path}/jobs/{job}") as stream:
        assert stream.next() is not None
        operator.execute("SELECT hub.end_sessions(%s, NULL)", [place.administrator.email])
        begun = time.monotonic()
        assert [event.name for event in stream.rest()] == ["gone"]
        assert time.monotonic() - begun < HEARTBEAT_SECONDS
    assert_problem(place.client.get("/api/session"), 401, "unauthenticated")


def test_ten_wrong_passwords_at_an_account_throttle_that_address_only(proxied: Place) -> None:
    client = proxied.api.client(None)
    email = proxied.administrator.email
    for _ in range(10):
        assert_problem(sign_in(client, email, "wrong horse battery", "198.51.100.7"), 401, "credentials")
    response = sign_in(client, email.upper(), PASSWORD, "198.51.100.7")
    problem = assert_problem(response, 429, "login-throttled")
    assert 880 <= int(response.headers["retry-after"]) <= 900
    assert response.headers["retry-after"] in problem["detail"]
    assert "set-cookie" not in response.headers
    # The owner, elsewhere, is slowed and not locked out.
    begun = time.monotonic()
    assert sign_in(client, email, PASSWORD, "198.51.100.8").status_code == 200
    assert 0.9 < time.monotonic() - begun < 4
    other = proxied.hub.add_person()
    assert sign_in(client, other.email, PASSWORD, "198.51.100.7").status_code == 200


def test_thirty_failures_throttle_an_address_whoever_is_tried(proxied: Place) -> None:
    client = proxied.api.client(None)
    for number in range(30):
        response = sign_in(client, f"nobody{number}@example.org", "x", "198.51.100.7")
        assert_problem(response, 401, "credentials")
    email = proxied.administrator.email
    assert_problem(sign_in(client, email, PASSWORD, "198.51.100.7"), 429, "login-throttled")
    assert sign_in(client, email, PASSWORD, "198.51.100.8").status_code == 200
    refusals = proxied.hub.connection.execute(
        "SELECT event, user_id, count(*) FROM hub_store.sign_in_refusal GROUP BY 1, 2 ORDER BY 1"
    ).fetchall()
    assert refusals == [("sign_in.failed", None, 30), ("sign_in.throttled", proxied.administrator.id, 1)]


def test_right_passwords_are_not_counted(proxied: Place) -> None:
    client = proxied.api.client(None)
    for _ in range(12):
        assert sign_in(client, proxied.administrator.email, PASSWORD, "198.51.100.7").status_code == 200
    assert proxied.hub.one("SELECT sum(cardinality(times)) FROM hub_store.sign_in_attempt") == 0


def test_guesses_at_once_are_counted_before_they_are_verified(proxied: Place) -> None:
    email = proxied.administrator.email

    def guess(number: int) -> int:
        with proxied.api.new_client(None) as client:
            return sign_in(client, email, f"guess number {number}", "198.51.100.7").status_code

    with ThreadPoolExecutor(25) as threads:
        assert Counter(threads.map(guess, range(25))) == {401: 10, 429: 15}


async def _flood(port: int, origin: str, chance: random.Random) -> Counter[int]:
    """Try to sign in ten thousand times, over connections that stay open."""
    statuses: Counter[int] = Counter()
    left = iter(range(FLOOD))

    async def knock() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number in left:
            # Most from a few addresses, and every fifth from an address of its own.
            address = f"198.51.100.{number % 7}" if number % 5 else f"11.{number >> 8}.{number & 255}.1"
            body = json.dumps({"email": f"guess{chance.randrange(1000)}@example.org", "password": "x" * 20})
            writer.write(
                f"POST /api/session HTTP/1.1\r\nHost: x\r\nOrigin: {origin}\r\nX-CSRF-Token: login\r\n"
                f"X-Forwarded-For: {address}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
            )
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            statuses[int(head.split(" ", 2)[1])] += 1
            length = next(line for line in head.lower().splitlines() if line.startswith("content-length:"))
            await reader.readexactly(int(length.split(":")[1]))
        writer.close()

    async with asyncio.TaskGroup() as group:
        for _ in range(FLOOD_AT_ONCE):
            group.create_task(knock())
    return statuses


def test_ten_thousand_sign_ins_slow_no_stream_and_fill_no_table(proxied: Place) -> None:
    """A stream of a moving job goes on meanwhile: no event of it is later than a second."""
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")  # noqa: T201 (shown when the test fails)
    hub, course = proxied.hub, proxied.hub.add_course(proxied.workspace, pages=4000)
    job = hub.add_job(proxied.administrator, proxied.workspace, course)
    lease = hub.claim(job)
    over = threading.Event()
    committed: dict[int, float] = {}

    def work() -> None:
        while not over.wait(0.25):
            hub.advance(lease, 1)
            version = hub.one("SELECT version FROM jobs_store.job WHERE id = %s", job)
            committed[version] = time.monotonic()

    delays: list[float] = []
    with streaming(proxied.client, f"{proxied.path}/jobs/{job}") as stream:
        assert stream.next() is not None

        def read() -> None:
            while (event := stream.next(20)) is not None and event.name == "snapshot":
                now = time.monotonic()
                # Those in between were skipped for this newer one.
                waiting = [version for version in committed if version <= event.version]
                delays.extend(now - committed.pop(version) for version in sorted(waiting)[-1:])
                for version in sorted(waiting)[:-1]:
                    del committed[version]

        with ThreadPoolExecutor(3) as threads:
            worker, reader = threads.submit(work), threads.submit(read)
            begun = time.monotonic()
            statuses = asyncio.run(_flood(proxied.api.port, proxied.api.origin, random.Random(seed)))  # noqa: S311
            seconds = time.monotonic() - begun
            over.set()
            worker.result()
            hub.cancel(job)
            hub.advance(lease)
            reader.result()
    print(f"{seconds:.1f} s, {statuses}, {len(delays)} events, worst {max(delays):.3f} s")  # noqa: T201
    assert statuses.keys() <= {401, 429}
    assert statuses[401] < FLOOD // 10
    assert len(delays) > seconds
    assert max(delays) < 1
    assert hub.one("SELECT count(*) FROM hub_store.sign_in_attempt") <= 3 * statuses[401] + 20
    assert hub.one("SELECT count(*) FROM hub_store.sign_in_refusal") <= 510
    assert hub.one("SELECT count(*) FROM jobs_store.audit_event WHERE event NOT LIKE 'job.%%'") == 0
    hub.connection.execute(
        "UPDATE hub_store.sign_in_attempt"
        " SET times = ARRAY(SELECT t - interval '16 min' FROM unnest(times) AS t)"
    )
    while hub.one("SELECT (jobs.sweep('worker') ->> 'sign_ins')::integer"):
        pass
    assert hub.one("SELECT count(*) FROM hub_store.sign_in_attempt") == 0
