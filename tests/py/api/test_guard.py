"""What every request passes before its resource, and what every answer carries."""

import json
import re
import socket
from collections.abc import Iterator
from uuid import uuid4

import httpx
import pytest

from api.security_headers import security_headers
from tests.py.api.client import Client, assert_problem, tagging
from tests.py.api.conftest import Place
from tests.py.api.hub import csrf_token, wait_until

KIB = 1024
LARGE_AND_MALFORMED = b"[" * (65 * KIB)

FORGED: list[tuple[str, dict[str, str | None]]] = [
    ("foreign origin", {"Origin": "http://evil.example"}),
    ("opaque origin", {"Origin": "null"}),
    ("empty origin", {"Origin": ""}),
    ("another port", {"Origin": "http://127.0.0.1:1"}),
    ("another scheme", {"Origin": "https://127.0.0.1"}),
    ("cross-site", {"Sec-Fetch-Site": "cross-site"}),
    ("same-site", {"Sec-Fetch-Site": "same-site"}),
    ("none", {"Sec-Fetch-Site": "none"}),
    ("no token", {"X-CSRF-Token": None}),
    ("empty token", {"X-CSRF-Token": ""}),
    ("wrong token", {"X-CSRF-Token": "0" * 64}),
    ("login token", {"X-CSRF-Token": "login"}),
    ("two tokens in one", {"X-CSRF-Token": "{token}, {token}"}),
]

MEDIA_TYPES = [
    None,
    "",
    "text/plain",
    "application/json; charset=utf-8",
    "application/json;",
    "application/problem+json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json, text/plain",
]

MALFORMED = [
    b"",
    b"   ",
    b"{",
    b"{}{}",
    b"{'a': 1}",
    b'{"kind":"backup",}',
    b'{"kind":"backup"} //',
    b'\xef\xbb\xbf{"kind":"backup"}',
    '{"kind":"backup"}'.encode("utf-16"),
    b'{"kind":"b\xffckup"}',
    b'{"kind":"b\xc0\x80ckup"}',
    b'{"kind":"\xed\xa0\x80"}',
    b'{"kind":"backup","kind":"backup"}',
    b'{"a":{"b":1,"\\u0062":2}}',
    b'{"a":NaN}',
    b'{"a":-Infinity}',
    b'{"a":1e999}',
    b'{"a":-1e999}',
    b'{"a":' + b"9" * 5000 + b"}",
    b'{"a":01}',
    b'{"a":"\\u0000"}',
    b'{"\\u0000":1}',
    b'{"a":"x\x00"}',
    b'{"a":"\t"}',
    b'{"a":"\\ud800"}',
    b'{"\\udc00":1}',
    b'{"a":"\\udc00\\ud800"}',
    b'{"a":"\\x41"}',
    b"[" * 65 + b"]" * 65,
    b"[" * 30_000 + b"]" * 30_000,
    b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
]


def post(client: Client, path: str, content: bytes | None = None, **headers: str | None) -> httpx.Response:
    """POST with exactly these headers beside the client's; None takes one away."""
    request = client.build_request(
        "POST",
        path,
        content=content,
        headers={name: value for name, value in headers.items() if value is not None},
    )
    for name, value in headers.items():
        if value is None:
            del request.headers[name]
    return client.send(request)


def test_refusals_come_in_the_documented_order(place: Place) -> None:
    """Each request has all the faults that come later; mending the first one shows the next."""
    path = f"{place.path}/jobs"
    token = place.client.token
    assert token
    client = place.api.client(None)
    wrong: dict[str, str | None] = {"Content-Type": "text/plain", "X-CSRF-Token": "no"}
    before = place.hub.footprint()
    assert_problem(post(client, path, LARGE_AND_MALFORMED, **wrong), 401, "unauthenticated")
    wrong["Cookie"] = f"session={token}"
    assert_problem(post(client, path, LARGE_AND_MALFORMED, **wrong), 403, "csrf")
    wrong["X-CSRF-Token"] = csrf_token(token)
    assert_problem(post(client, path, LARGE_AND_MALFORMED, **wrong), 415, "media-type")
    wrong["Content-Type"] = "application/json"
    assert_problem(post(client, path, LARGE_AND_MALFORMED, **wrong), 413, "too-large")
    assert_problem(post(client, path, b"{", **wrong), 400, "malformed")
    assert_problem(post(client, path, b"{}", **wrong), 400, "idempotency-key-required")
    wrong["Idempotency-Key"] = "no spaces"
    assert_problem(post(client, path, b"{}", **wrong), 400, "idempotency-key-invalid")
    wrong["Idempotency-Key"] = "a-key"
    assert_problem(post(client, path, b"{}", **wrong), 422, "validation")
    assert place.hub.footprint() == before
    body = json.dumps(tagging(place.course)).encode()
    assert post(client, path, body, **wrong).status_code == 201


def test_a_dead_session_is_named_before_a_forgery(place: Place) -> None:
    token = place.client.token
    assert token
    assert place.client.delete("/api/session").status_code == 204
    client = place.api.client(token)
    response = client.post(f"{place.path}/jobs", content=b"{", headers={"X-CSRF-Token": "no"})
    assert_problem(response, 401, "unauthenticated")


@pytest.mark.parametrize("headers", [headers for _, headers in FORGED], ids=[name for name, _ in FORGED])
def test_a_forged_request_changes_nothing(place: Place, headers: dict[str, str | None]) -> None:
    token = csrf_token(place.client.token or "")
    filled = {name: value and value.replace("{token}", token) for name, value in headers.items()}
    body = json.dumps(tagging(place.course)).encode()
    before = place.hub.footprint()
    rest = {"Content-Type": "application/json", "Idempotency-Key": "a-key"}
    assert_problem(post(place.client, f"{place.path}/jobs", body, **rest, **filled), 403, "csrf")
    assert_problem(post(place.client, f"{place.path}/jobs/{uuid4()}/cancel", None, **filled), 403, "csrf")
    assert place.hub.footprint() == before


def test_another_sessions_csrf_token_is_refused(place: Place) -> None:
    other = place.hub.sign_in(place.administrator)
    response = place.client.delete("/api/session", headers={"X-CSRF-Token": csrf_token(other)})
    assert_problem(response, 403, "csrf")


def test_a_script_needs_no_origin(place: Place) -> None:
    del place.client.headers["Origin"]
    del place.client.headers["Sec-Fetch-Site"]
    assert place.client.create_job(place.workspace, tagging(place.course)).status_code == 201


def test_two_lines_of_a_header_are_no_way_around(place: Place) -> None:
    for name, value in [
        (b"Origin", b"http://evil.example"),
        (b"Sec-Fetch-Site", b"cross-site"),
        (b"X-CSRF-Token", csrf_token(place.client.token or "").encode()),
    ]:
        headers = [*place.client.headers.raw, (name, value)]
        response = httpx.delete(f"{place.api.address}/api/session", headers=headers)
        assert_problem(response, 403, "csrf")


@pytest.mark.parametrize("media_type", MEDIA_TYPES)
def test_only_json_is_taken(place: Place, media_type: str | None) -> None:
    body = json.dumps(tagging(place.course)).encode()
    for content in (body, iter([body])):
        request = place.client.build_request("POST", f"{place.path}/jobs", content=content)
        request.headers["Idempotency-Key"] = "a-key"
        if media_type is None:
            request.headers.pop("Content-Type", None)
        else:
            request.headers["Content-Type"] = media_type
        assert_problem(place.client.send(request), 415, "media-type")
    assert place.hub.jobs(place.workspace) == []


def test_the_media_type_is_compared_in_any_case(place: Place) -> None:
    response = place.client.create_job(
        place.workspace, tagging(place.course), **{"Content-Type": "Application/JSON"}
    )
    assert response.status_code == 201


def pieces(data: bytes, size: int = 10_000) -> Iterator[bytes]:
    """A body of unknown length: it is sent in chunks."""
    for start in range(0, len(data), size):
        yield data[start : start + size]


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(
    ("size", "fits"), [(64 * KIB, True), (64 * KIB + 1, False), (1024 * KIB, False), (6 * 1024 * KIB, False)]
)
def test_a_body_may_have_64_kib(place: Place, size: int, fits: bool, chunked: bool) -> None:
    body = json.dumps(tagging(place.course)).encode().ljust(size)
    response = place.client.post(
        f"{place.path}/jobs",
        content=pieces(body) if chunked else body,
        headers={"Content-Type": "application/json", "Idempotency-Key": "a-key"},
    )
    if fits:
        assert response.status_code == 201
    else:
        problem = assert_problem(response, 413, "too-large")
        assert "65536" in problem["detail"]
    assert len(place.hub.jobs(place.workspace)) == fits


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(("size", "fits"), [(2048 * KIB, True), (2048 * KIB + 1, False)])
def test_a_page_may_have_2_mib(place: Place, size: int, fits: bool, chunked: bool) -> None:
    page = place.hub.pages(place.course)[0]
    body = json.dumps({"title": "T", "content": "c", "tags": []}).encode().ljust(size)
    response = place.client.put(
        f"{place.path}/pages/{page['id']}",
        content=pieces(body) if chunked else body,
        headers={"Content-Type": "application/json", "If-Match": "*"},
    )
    if fits:
        assert response.status_code == 200
    else:
        assert_problem(response, 413, "too-large")
    assert (place.hub.pages(place.course)[0]["etag"] != page["etag"]) == fits


def test_a_body_that_never_ends_is_cut(place: Place) -> None:
    """A sender that keeps on gets its answer, and the connection ends."""
    head = (
        f"POST {place.path}/jobs HTTP/1.1\r\nHost: x\r\nCookie: session={place.client.token}\r\n"
        f"X-CSRF-Token: {csrf_token(place.client.token or '')}\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", place.api.port), timeout=10) as connection:
        connection.sendall(head.encode())
        sent = 0
        try:
            while sent < 100 * 1024 * KIB:
                connection.sendall(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
                sent += 0x10000
        except OSError:
            pass
        assert sent < 50 * 1024 * KIB
    assert place.client.get("/healthz").status_code == 200


def test_who_listens_only_after_sending_gets_his_answer(place: Place) -> None:
    """The connection is not reset on a client that is still sending when it is refused."""
    body = b" " * (6 * 1024 * KIB)
    for cookie, status in [("", b"401"), (f"Cookie: session={place.client.token}\r\n", b"403")]:
        head = f"POST {place.path}/jobs HTTP/1.1\r\nHost: x\r\n{cookie}Content-Length: {len(body)}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", place.api.port), timeout=10) as connection:
            connection.sendall(head.encode() + body)
            assert connection.recv(65536).startswith(b"HTTP/1.1 " + status)


def test_a_body_shorter_than_announced_starts_nothing(place: Place) -> None:
    body = json.dumps(tagging(place.course)).encode()
    head = (
        f"POST {place.path}/jobs HTTP/1.1\r\nHost: x\r\nCookie: session={place.client.token}\r\n"
        f"X-CSRF-Token: {csrf_token(place.client.token or '')}\r\nContent-Type: application/json\r\n"
        f"Idempotency-Key: a-key\r\nContent-Length: {len(body) + 1}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", place.api.port), timeout=10) as connection:
        connection.sendall(head.encode() + body)
        connection.shutdown(socket.SHUT_WR)
        connection.recv(65536)

    def answers() -> list[int]:
        lines = [line for line in place.api.log() if line.get("path") == f"{place.path}/jobs"]
        return [line["status"] for line in lines]

    wait_until(answers, "the request is answered")
    assert answers() == [400]
    assert place.hub.jobs(place.workspace) == []


@pytest.mark.parametrize("body", MALFORMED, ids=range(len(MALFORMED)))
def test_malformed_json_changes_nothing(place: Place, body: bytes) -> None:
    headers = {"Content-Type": "application/json", "Idempotency-Key": "a-key", "If-Match": "*"}
    page = place.hub.pages(place.course)[0]["id"]
    before = place.hub.footprint()
    for path in (f"{place.path}/jobs", f"{place.path}/courses/{place.course}/tagging-preview"):
        problem = assert_problem(place.client.post(path, content=body, headers=headers), 400, "malformed")
        assert not set(problem["detail"]) & {"\0", "\ud800"}
    response = place.client.put(f"{place.path}/pages/{page}", content=body, headers=headers)
    assert_problem(response, 400, "malformed")
    assert place.hub.footprint() == before


def test_a_body_where_none_is_needed_is_judged_too(place: Place) -> None:
    job = place.hub.add_job(place.administrator, place.workspace, place.course)
    path = f"{place.path}/jobs/{job}/cancel"
    headers = {"Content-Type": "application/json"}
    assert_problem(place.client.post(path, content=b"{", headers=headers), 400, "malformed")
    assert_problem(place.client.post(path, data={"a": "b"}), 415, "media-type")
    assert_problem(place.client.post(path, content=b" " * 65_537, headers=headers), 413, "too-large")
    assert place.hub.jobs(place.workspace)[0]["state"] == "queued"
    assert place.client.post(path, content=b"{}", headers=headers).status_code == 200


def test_unusual_but_right_json_is_taken(place: Place) -> None:
    tags = ["\U0001f600", "\\u0000", "é"]
    body = json.dumps(tagging(place.course, *tags)).replace("tags", "\\u0074ags")
    response = place.client.post(
        f"{place.path}/jobs",
        content=body,
        headers={"Content-Type": "application/json", "Idempotency-Key": "a-key"},
    )
    assert response.status_code == 201, response.text
    assert response.json()["request"]["tags"] == tags


def test_unknown_paths_are_problems(place: Place) -> None:
    for path in (
        "/nothing",
        "/api",
        "/api/",
        f"{place.path}/nothing",
        "/api/workspaces/not-a-uuid/jobs",
        "/api/workspaces/{" + str(place.workspace) + "}/jobs",
        f"/api/workspaces/{place.workspace.hex}/jobs",
        f"/api/workspaces/urn:uuid:{place.workspace}/jobs",
        f"{place.path}/jobs/not-a-uuid",
        f"{place.path}/jobs/not-a-uuid/events",
        f"{place.path}/pages/{place.workspace}x",
        "/workspaces/nothing",
        "/static/nothing",
        "/problems/nothing",
    ):
        assert_problem(place.client.get(path), 404, "not-found")
    assert place.client.get(f"/api/workspaces/{str(place.workspace).upper()}/jobs").status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PATCH", "/api/session", {"GET", "HEAD", "POST", "DELETE", "OPTIONS"}),
        ("POST", "/api/workspaces", {"GET", "HEAD", "OPTIONS"}),
        ("DELETE", "{path}/jobs", {"GET", "HEAD", "POST", "OPTIONS"}),
        ("PUT", "{path}/jobs/{id}", {"GET", "HEAD", "OPTIONS"}),
        ("GET", "{path}/jobs/{id}/cancel", {"POST", "OPTIONS"}),
        ("HEAD", "{path}/jobs/{id}/events", {"GET", "OPTIONS"}),
        ("POST", "/", {"GET", "HEAD", "OPTIONS"}),
    ],
)
def test_a_wrong_method_is_told_the_right_ones(
    place: Place, method: str, path: str, allowed: set[str]
) -> None:
    response = place.api.client(None).request(method, path.format(path=place.path, id=uuid4()))
    assert response.status_code == 405
    assert set(response.headers["allow"].split(", ")) == allowed
    if method != "HEAD":
        assert_problem(response, 405, "method-not-allowed")


def test_a_method_nobody_knows_is_a_problem(place: Place) -> None:
    assert_problem(place.client.request("FROB", f"{place.path}/jobs"), 400, "bad-request")


def test_a_websocket_is_refused(place: Place) -> None:
    for path in ("/api/session", "/nothing"):
        response = place.client.get(
            path,
            headers={
                "Connection": "Upgrade",
                "Upgrade": "websocket",
                "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
            },
        )
        assert response.status_code == 403
    assert not [line for line in place.api.log() if "WebSocket" in line["event"]]


def test_no_answer_opens_the_api_to_other_origins(place: Place) -> None:
    headers = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    for method in ("OPTIONS", "GET", "POST"):
        response = place.client.request(method, f"{place.path}/jobs", headers=headers)
        assert not [name for name in response.headers if name.startswith("access-control-")]


def test_every_answer_has_its_own_request_id_and_is_not_stored(place: Place) -> None:
    seen = set()
    for path in ("/api/session", f"{place.path}/jobs", "/nothing", "/healthz"):
        response = place.client.get(path, headers={"X-Request-Id": "mine"})
        assert response.headers["cache-control"] == "no-store"
        assert response.headers["x-content-type-options"] == "nosniff"
        seen.add(response.headers["x-request-id"])
    assert len(seen) == 4
    assert "mine" not in seen


def test_head_is_get_without_the_body(place: Place) -> None:
    for path in ("/api/session", f"{place.path}/courses", f"{place.path}/jobs", "/", "/healthz"):
        get, head = place.client.get(path), place.client.head(path)
        assert head.status_code == get.status_code == 200
        assert head.content == b""
        assert head.headers["content-type"] == get.headers["content-type"]
        assert head.headers["content-length"] == get.headers["content-length"]


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("limit=0", "/limit"),
        ("limit=501", "/limit"),
        ("limit=-1", "/limit"),
        ("limit=", "/limit"),
        ("limit=1.0", "/limit"),
        ("limit=%31%30x", "/limit"),
        ("limit=1&limit=1", "/limit"),
        ("limit=99999999999999999999", "/limit"),
        ("limit=%D9%A1", "/limit"),
        ("cursor=a&cursor=b", "/cursor"),
        ("cursor=%00", "/cursor"),
        ("cursor=nonsense", "/cursor"),
        ("cursor=", "/cursor"),
        ("cursor=-1", "/cursor"),
        ("cursor=99999999999999999999999", "/cursor"),
        ("cursor=%F0%9F%98%80", "/cursor"),
        ("cursor=%FF", "/cursor"),
    ],
)
def test_a_bad_parameter_is_named(place: Place, query: str, pointer: str) -> None:
    job = place.hub.add_job(place.administrator, place.workspace, place.course)
    for path in ("jobs", "pages", "audit", f"jobs/{job}/errors", f"jobs/{job}/audit"):
        problem = assert_problem(place.client.get(f"{place.path}/{path}?{query}"), 422, "validation")
        assert [error["pointer"] for error in problem["errors"]] == [pointer], path


def test_unknown_parameters_are_ignored(place: Place) -> None:
    assert place.client.get(f"{place.path}/jobs?x=1&x=2&limit=500&%00=%FF").status_code == 200


def test_no_answer_lets_other_sites_embed_open_or_read_it(place: Place) -> None:
    """Whatever answers: the page, its files, the API, a problem, a problem's page, the framework itself."""
    style = re.search(r"/static/[0-9a-f]{16}/app.css", place.client.get("/").text)
    assert style
    for method, path in [
        ("GET", "/"),
        ("GET", style[0]),
        ("GET", "/api/session"),
        ("GET", f"{place.path}/nothing"),
        ("GET", "/problems/csrf"),
        ("PATCH", "/api/session"),
        ("OPTIONS", f"{place.path}/jobs"),
    ]:
        headers = {
            "Origin": "https://evil.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "x-csrf-token",
        }
        response = place.client.request(method, path, headers=headers)
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "*" not in policy
        expected = {
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "referrer-policy": "no-referrer",
            "x-content-type-options": "nosniff",
            "x-frame-options": "DENY",
        }
        assert {name: response.headers[name] for name in expected} == expected
        assert "camera=()" in response.headers["permissions-policy"]
        assert not [name for name in response.headers if name.startswith("access-control-")]
        assert "strict-transport-security" not in response.headers


def test_a_public_origin_with_tls_asks_for_it_always() -> None:
    headers = security_headers("https://hub.example.org")
    assert headers["Strict-Transport-Security"] == "max-age=31536000"
