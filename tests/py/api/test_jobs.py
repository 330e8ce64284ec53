"""Creating, listing, reading and cancelling jobs; page errors and the audit trail."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from tests.py.api.client import Client, assert_problem, tagging
from tests.py.api.conftest import Place


def test_a_job_is_created(place: Place) -> None:
    response = place.client.create_job(place.workspace, tagging(place.course, " über  uns ", "B", "b"))
    assert response.status_code == 201
    body = response.json()
    assert response.headers["location"] == f"{place.path}/jobs/{body['id']}"
    assert response.headers["etag"] == '"1"'
    assert "idempotency-replayed" not in response.headers
    assert body.pop("created_at").endswith("Z")
    assert body == {
        "id": str(place.hub.jobs(place.workspace)[0]["id"]),
        "workspace_id": str(place.workspace),
        "kind": "course_tagging",
        "state": "queued",
        "terminal": False,
        "version": 1,
        "actor": {"id": str(place.administrator.id), "name": place.administrator.name},
        "request": {"course_id": str(place.course), "course_title": "Course", "tags": ["über uns", "B"]},
        "progress": {"total": 3, "processed": 0, "changed": 0, "skipped": 0, "failed": 0},
        "errors": [],
        "failure": None,
        "result": None,
        "attempt": 0,
        "max_attempts": 3,
        "cancel_requested_at": None,
        "started_at": None,
        "finished_at": None,
    }
    assert place.client.get(response.headers["location"]).content == response.content


def test_a_replay_finds_the_first_job(place: Place) -> None:
    first = place.client.create_job(place.workspace, tagging(place.course, "a", "b"), "key")
    for key in ("key", '"key"'):
        again = place.client.create_job(place.workspace, tagging(place.course, "B", " a "), key)
        assert again.status_code == 200
        assert again.headers["idempotency-replayed"] == "true"
        assert again.headers["location"] == first.headers["location"]
        assert again.headers["etag"] == '"1"'
        assert again.content == first.content
    place.hub.complete(UUID(first.json()["id"]))
    again = place.client.create_job(place.workspace, tagging(place.course, "a", "b"), "key")
    assert again.json()["state"] == "succeeded"
    assert again.headers["etag"] == f'"{again.json()["version"]}"'
    assert len(place.hub.jobs(place.workspace)) == 1


def test_another_request_under_the_same_key_is_refused(place: Place) -> None:
    other_course = place.hub.add_course(place.workspace)
    assert place.client.create_job(place.workspace, tagging(place.course, "a"), "key").status_code == 201
    before = place.hub.footprint()
    for body in (tagging(place.course, "a", "b"), tagging(other_course, "a"), tagging(uuid4(), "a")):
        response = place.client.create_job(place.workspace, body, "key")
        assert_problem(response, 409, "idempotency-key-reused")
    assert place.hub.footprint() == before


def test_a_key_is_the_actors_own(place: Place) -> None:
    colleague = place.member("administrator")
    first = place.client.create_job(place.workspace, tagging(place.course, "a"), "key")
    second = colleague.create_job(place.workspace, tagging(place.course, "b"), "key")
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json()["id"] != second.json()["id"]


@pytest.mark.parametrize(
    "key",
    [
        "",
        '""',
        "a b",
        "ä",
        "a" * 129,
        '"a',
        'a"',
        "'a'",
        "a,b",
        "a/b",
        '"a"b',
        '"' + "a" * 129 + '"',
    ],
)
def test_a_key_of_a_wrong_shape_is_refused(place: Place, key: str) -> None:
    request = place.client.build_request("POST", f"{place.path}/jobs", json=tagging(place.course))
    request.headers["Idempotency-Key"] = key
    response = place.client.send(request)
    assert_problem(response, 400, "idempotency-key-invalid")
    assert place.hub.jobs(place.workspace) == []


def test_a_key_is_needed_once(place: Place) -> None:
    body = tagging(place.course)
    response = place.client.post(f"{place.path}/jobs", json=body)
    assert_problem(response, 400, "idempotency-key-required")
    request = place.client.build_request("POST", f"{place.path}/jobs", json=body)
    headers = [*request.headers.raw, (b"Idempotency-Key", b"a"), (b"Idempotency-Key", b"a")]
    request = place.client.build_request("POST", f"{place.path}/jobs", json=body, headers=headers)
    assert_problem(place.client.send(request), 400, "idempotency-key-invalid")
    assert place.hub.jobs(place.workspace) == []


@pytest.mark.parametrize("key", ["a", "Z" * 128, "a.b_c:d-9", '"quoted"'])
def test_a_key_of_the_right_shape_is_taken(place: Place, key: str) -> None:
    assert place.client.create_job(place.workspace, tagging(place.course), key).status_code == 201
    assert place.hub.jobs(place.workspace)[0]["idempotency_key"] == key.strip('"')


Change = Callable[[dict[str, Any]], object]

SHAPES: list[tuple[str, Change, set[str]]] = [
    ("no object", lambda _: [], {""}),
    ("null", lambda _: None, {""}),
    ("no kind", lambda body: {**body, "kind": None}, {"/kind"}),
    ("unknown kind", lambda body: {**body, "kind": "nonsense"}, {"/kind"}),
    ("kind of another type", lambda body: {**body, "kind": ["course_tagging"]}, {"/kind"}),
    ("unknown member", lambda body: {**body, "title": "x"}, {"/title"}),
    ("no course", lambda body: {"kind": body["kind"], "tags": body["tags"]}, {"/course_id"}),
    ("course no id", lambda body: {**body, "course_id": "nonsense"}, {"/course_id"}),
    ("course of another type", lambda body: {**body, "course_id": 7}, {"/course_id"}),
    ("no tags", lambda body: {**body, "tags": []}, {"/tags"}),
    ("tags missing", lambda body: {"kind": body["kind"], "course_id": body["course_id"]}, {"/tags"}),
    ("tags of another type", lambda body: {**body, "tags": "a"}, {"/tags"}),
    ("21 tags", lambda body: {**body, "tags": [str(number) for number in range(21)]}, {"/tags"}),
    ("a tag of 65", lambda body: {**body, "tags": ["a", "ä" * 65]}, {"/tags/1"}),
    ("a blank tag", lambda body: {**body, "tags": ["\u00a0\u2003"]}, {"/tags/0"}),
    ("a control character", lambda body: {**body, "tags": ["a\u0007"]}, {"/tags/0"}),
    ("a later control character", lambda body: {**body, "tags": ["a\u009f"]}, {"/tags/0"}),
    ("a comma", lambda body: {**body, "tags": ["a,b"]}, {"/tags/0"}),
    ("a tag of another type", lambda body: {**body, "tags": ["a", 1, None]}, {"/tags/1", "/tags/2"}),
    ("all at once", lambda _: {"kind": "course_tagging", "course_id": 1, "tags": [""], "x": 1},
     {"/x", "/course_id", "/tags/0"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "pointers"), [row[1:] for row in SHAPES], ids=[name for name, _, _ in SHAPES]
)
def test_a_wrong_shape_is_named_and_makes_nothing(place: Place, change: Change, pointers: set[str]) -> None:
    body = change(tagging(place.course))
    before = place.hub.footprint()
    problem = assert_problem(place.client.create_job(place.workspace, body, "key"), 422, "validation")
    assert {error["pointer"] for error in problem["errors"]} == pointers
    assert all(error["message"] for error in problem["errors"])
    assert place.hub.footprint() == before


def test_shape_is_judged_before_the_key_and_content_after_it(place: Place) -> None:
    assert place.client.create_job(place.workspace, tagging(place.course, "a"), "key").status_code == 201
    badly_shaped = place.client.create_job(place.workspace, tagging(place.course, ""), "key")
    assert_problem(badly_shaped, 422, "validation")
    unknown_course = place.client.create_job(place.workspace, tagging(uuid4(), "a"), "key")
    assert_problem(unknown_course, 409, "idempotency-key-reused")


def test_a_course_elsewhere_is_refused(place: Place) -> None:
    foreign = place.hub.add_course(place.hub.add_workspace())
    before = place.hub.footprint()
    for course in (foreign, uuid4()):
        problem = assert_problem(place.client.create_job(place.workspace, tagging(course)), 422, "validation")
        assert [error["pointer"] for error in problem["errors"]] == ["/course_id"]
    assert place.hub.footprint() == before


def test_too_large_a_course_is_refused(own_place: Place) -> None:
    own_place.hub.set("MaxCoursePages", 2)
    before = own_place.hub.footprint()
    problem = assert_problem(
        own_place.client.create_job(own_place.workspace, tagging(own_place.course)), 422, "course-too-large"
    )
    assert (problem["limit"], problem["value"]) == ("MaxCoursePages", 2)
    assert own_place.hub.footprint() == before


def test_capacity_is_named_and_a_replay_needs_none(place: Place) -> None:
    for number in range(3):
        body = tagging(place.course, str(number))
        assert place.client.create_job(place.workspace, body, f"key{number}").status_code == 201
    before = place.hub.footprint()
    response = place.client.create_job(place.workspace, tagging(place.course), "key3")
    problem = assert_problem(response, 429, "capacity")
    assert (problem["limit"], problem["value"]) == ("MaxPendingPerActor", 3)
    assert "3 jobs" in problem["detail"]
    assert response.headers["retry-after"] == "10"
    assert place.client.create_job(place.workspace, tagging(place.course, "0"), "key0").status_code == 200
    assert place.hub.footprint() == before
    colleagues = [place.member("administrator") for _ in range(3)]
    for number in range(7):
        body = tagging(place.course, str(number))
        assert colleagues[number // 3].create_job(place.workspace, body).status_code == 201
    response = colleagues[2].create_job(place.workspace, tagging(place.course))
    problem = assert_problem(response, 429, "capacity")
    assert (problem["limit"], problem["value"]) == ("MaxPendingPerWorkspace", 10)


def test_the_days_limit_says_when_a_place_frees(place: Place) -> None:
    for _ in range(2):
        place.hub.cancel(place.hub.add_job(place.administrator, place.workspace, place.course))
    for number in range(98):
        place.hub.connection.execute(
            "INSERT INTO jobs_store.job (workspace_id, kind, itemised, state, actor_id, actor_name,"
            " idempotency_key, request, labels, max_attempts, notified_at, cancel_requested_at, created_at,"
            " finished_at)"
            " SELECT workspace_id, kind, itemised, state, actor_id, actor_name, 'old' || %s, request, labels,"
            " max_attempts, notified_at, now(), now() - interval '23 hours', now()"
            " FROM jobs_store.job WHERE workspace_id = %s LIMIT 1",
            (number, place.workspace),
        )
    response = place.client.create_job(place.workspace, tagging(place.course))
    problem = assert_problem(response, 429, "capacity")
    assert (problem["limit"], problem["value"]) == ("MaxCreatedPerDay", 100)
    assert 3500 < int(response.headers["retry-after"]) <= 3600


@pytest.mark.parametrize(("role", "enabled"), [("editor", True), ("reader", True), ("administrator", False)])
def test_only_enabled_administrators_see_and_start_jobs(place: Place, role: str, enabled: bool) -> None:
    job = place.hub.add_job(place.administrator, place.workspace, place.course)
    client = place.member(role, enabled)
    before = place.hub.footprint()
    for response in everything(client, place.path, job, place.course):
        assert_problem(response, 403, "not-administrator")
    assert place.hub.footprint() == before
    trail = place.client.get(f"{place.path}/audit").json()["events"]
    assert [(one["event"], one["detail"], one["address"]) for one in trail[:2]] == [
        ("job.create_refused", {}, "127.0.0.1"),
        ("job.cancel_refused", {"job_id": str(job)}, "127.0.0.1"),
    ]


def test_what_is_foreign_is_not_found(place: Place) -> None:
    job = place.hub.add_job(place.administrator, place.workspace, place.course)
    stranger = place.stranger()
    before = place.hub.footprint()
    for response in everything(stranger, place.path, job, place.course):
        assert_problem(response, 404, "not-found")
    for response in everything(place.client, f"/api/workspaces/{uuid4()}", job, place.course):
        assert_problem(response, 404, "not-found")
    elsewhere = place.hub.add_workspace()
    place.hub.join(place.administrator, elsewhere)
    for response in of_a_job(place.client, f"/api/workspaces/{elsewhere}", job):
        assert_problem(response, 404, "not-found")
    for response in of_a_job(place.client, place.path, uuid4()):
        assert_problem(response, 404, "not-found")
    assert place.hub.footprint() == before


def of_a_job(client: Client, path: str, job: UUID) -> list[httpx.Response]:
    return [
        client.get(f"{path}/jobs/{job}"),
        client.get(f"{path}/jobs/{job}/events"),
        client.get(f"{path}/jobs/{job}/errors"),
        client.get(f"{path}/jobs/{job}/audit"),
        client.post(f"{path}/jobs/{job}/cancel"),
    ]


def everything(client: Client, path: str, job: UUID, course: UUID) -> list[httpx.Response]:
    return [
        *of_a_job(client, path, job),
        client.get(f"{path}/jobs"),
        client.get(f"{path}/audit"),
        client.post(f"{path}/jobs", json=tagging(course), headers={"Idempotency-Key": "key"}),
        client.post(f"{path}/courses/{course}/tagging-preview", json={"tags": ["a"]}),
    ]


def test_an_actor_who_lost_his_right_cannot_replay_his_own_key(place: Place) -> None:
    assert place.client.create_job(place.workspace, tagging(place.course), "key").status_code == 201
    place.hub.join(place.administrator, place.workspace, "editor")
    response = place.client.create_job(place.workspace, tagging(place.course), "key")
    assert_problem(response, 403, "not-administrator")


def test_rights_are_judged_before_shape_and_the_key_header_before_both(place: Place) -> None:
    editor = place.member("editor")
    assert_problem(editor.create_job(place.workspace, {}), 403, "not-administrator")
    assert_problem(editor.post(f"{place.path}/jobs", json={}), 400, "idempotency-key-required")


def test_ten_requests_a_minute_from_one_address_whatever_becomes_of_them(own_place: Place) -> None:
    client, workspace = own_place.client, own_place.workspace
    path = f"{own_place.path}/jobs"
    for refused_before in (
        client.post(path, json={}),
        client.post(path, json={}, headers={"Idempotency-Key": "a b"}),
        client.post(path, content=b"{", headers={"Content-Type": "application/json"}),
        own_place.api.client(None).create_job(workspace, {}),
        client.create_job(workspace, {}, **{"X-CSRF-Token": "no"}),
    ):
        assert refused_before.status_code in {400, 401, 403}
    assert client.create_job(workspace, tagging(own_place.course), "key").status_code == 201
    for _ in range(4):
        assert client.create_job(workspace, tagging(own_place.course), "key").status_code == 200
        assert client.create_job(workspace, {}).status_code == 422
    assert own_place.stranger().create_job(workspace, {}).status_code == 404
    before = own_place.hub.footprint()
    for somebody in (client, own_place.stranger()):
        response = somebody.create_job(workspace, tagging(own_place.course), "key")
        assert_problem(response, 429, "request-budget")
        assert 55 <= int(response.headers["retry-after"]) <= 60
    assert own_place.hub.footprint() == before
    own_place.hub.connection.execute(
        "UPDATE jobs_store.request_budget"
        " SET times = ARRAY(SELECT t - interval '60 seconds' FROM unnest(times) AS t)"
    )
    assert client.create_job(workspace, tagging(own_place.course), "key").status_code == 200


def test_fifty_requests_at_once_under_one_key_make_one_job(place: Place) -> None:
    def ask(number: int) -> httpx.Response:
        with place.api.new_client(place.client.token) as client:
            body = tagging(place.course, "other" if number == 25 else "tag")
            return client.create_job(place.workspace, body, "key")

    with ThreadPoolExecutor(50) as threads:
        answers = list(threads.map(ask, range(50)))
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses in ([200] * 48 + [201, 409], [201] + [409] * 49), statuses
    assert len(place.hub.jobs(place.workspace)) == 1


def test_jobs_are_listed_newest_first_in_parts_and_by_state(place: Place) -> None:
    ids: list[str] = []
    for number in range(5):
        job = place.hub.add_job(place.administrator, place.workspace, place.course, str(number))
        if number < 3:
            place.hub.cancel(job)
        ids.insert(0, str(job))
    seen, cursor = [], ""
    while True:
        answer = place.client.get(f"{place.path}/jobs?limit=2{cursor}").json()
        seen += [job["id"] for job in answer["jobs"]]
        if answer["next_cursor"] is None:
            break
        cursor = f"&cursor={answer['next_cursor']}"
    assert seen == ids

    def found(query: str) -> list[str]:
        return [job["id"] for job in place.client.get(f"{place.path}/jobs?{query}").json()["jobs"]]

    assert found("state=queued") == ids[:2]
    assert found("state=cancelled") == ids[2:]
    assert found("state=running") == []
    assert found("kind=course_tagging&state=queued") == ids[:2]
    assert (
        place.client.get(f"{place.path}/jobs").json()["jobs"][0]
        == place.client.get(f"{place.path}/jobs/{ids[0]}").json()
    )


@pytest.mark.parametrize("query", ["state=nonsense", "state=", "state=Queued", "state=queued&state=queued"])
def test_an_unknown_state_is_named(place: Place, query: str) -> None:
    problem = assert_problem(place.client.get(f"{place.path}/jobs?{query}"), 422, "validation")
    assert [error["pointer"] for error in problem["errors"]] == ["/state"]


def test_a_poll_of_an_unchanged_job_answers_304(place: Place) -> None:
    job = place.hub.add_job(place.administrator, place.workspace, place.course)
    path = f"{place.path}/jobs/{job}"
    first = place.client.get(path)
    assert first.headers["etag"] == '"1"'
    for value in ('"1"', 'W/"1"', '"0", "1"', "*"):
        again = place.client.get(path, headers={"If-None-Match": value})
        assert again.status_code == 304
        assert again.headers["etag"] == '"1"'
        assert again.content == b""
    lease = place.hub.claim(job)
    changed = place.client.get(path, headers={"If-None-Match": '"1"'})
    assert changed.status_code == 200
    assert changed.headers["etag"] == f'"{changed.json()["version"]}"' != '"1"'
    place.hub.advance(lease)


def test_cancelling_a_queued_job_is_done_at_once_and_repeats(place: Place) -> None:
    job = place.hub.add_job(place.administrator, place.workspace, place.course)
    colleague = place.member("administrator")
    first = colleague.post(f"{place.path}/jobs/{job}/cancel")
    assert first.status_code == 200
    assert first.json()["state"] == "cancelled"
    assert first.headers["etag"] == f'"{first.json()["version"]}"'
    again = place.client.post(f"{place.path}/jobs/{job}/cancel")
    assert again.status_code == 200
    assert again.content == first.content


def test_cancelling_a_running_job_asks_its_worker(place: Place) -> None:
    job = place.hub.add_job(place.administrator, place.workspace, place.course)
    lease = place.hub.claim(job)
    assert place.hub.advance(lease, 1) == "continue"
    asked = place.client.post(f"{place.path}/jobs/{job}/cancel")
    assert asked.status_code == 202
    assert asked.json()["state"] == "running"
    assert asked.json()["cancel_requested_at"]
    again = place.client.post(f"{place.path}/jobs/{job}/cancel")
    assert again.status_code == 200
    assert again.content == asked.content
    assert place.hub.advance(lease) == "ended"
    ended = place.client.get(f"{place.path}/jobs/{job}").json()
    assert (ended["state"], ended["progress"]["changed"]) == ("cancelled", 1)
    assert place.client.post(f"{place.path}/jobs/{job}/cancel").status_code == 200


def test_a_job_that_ended_cannot_be_cancelled(place: Place) -> None:
    succeeded = place.hub.add_job(place.administrator, place.workspace, place.course)
    place.hub.complete(succeeded)
    actor = place.hub.add_person()
    place.hub.join(actor, place.workspace)
    failed = place.hub.add_job(actor, place.workspace, place.course)
    place.hub.join(actor, place.workspace, "reader")
    place.hub.complete(failed)
    assert place.client.get(f"{place.path}/jobs/{failed}").json()["failure"]["code"] == "actor_not_authorised"
    before = place.hub.footprint()
    for job in (succeeded, failed):
        assert_problem(place.client.post(f"{place.path}/jobs/{job}/cancel"), 409, "already-terminal")
    assert place.hub.footprint() == before


def test_page_errors_are_listed_in_parts(place: Place) -> None:
    course = place.hub.add_course(place.workspace, 25)
    job = place.hub.add_job(place.administrator, place.workspace, course)
    place.hub.connection.execute("DELETE FROM hub_store.page WHERE course_id = %s", (course,))
    place.hub.complete(job)
    snapshot = place.client.get(f"{place.path}/jobs/{job}").json()
    assert snapshot["progress"] == {"total": 25, "processed": 25, "changed": 0, "skipped": 0, "failed": 25}
    first = place.client.get(f"{place.path}/jobs/{job}/errors?limit=20").json()
    assert first["errors"][:10] == snapshot["errors"]
    assert {error["code"] for error in first["errors"]} == {"page_missing"}
    rest = place.client.get(f"{place.path}/jobs/{job}/errors?cursor={first['next_cursor']}").json()
    assert (len(first["errors"]), len(rest["errors"]), rest["next_cursor"]) == (20, 5, None)
    ids = [error["page_id"] for error in first["errors"] + rest["errors"]]
    assert ids == sorted(set(ids))


def test_both_audit_trails_tell_who_did_what_from_where(place: Place) -> None:
    first = place.client.create_job(place.workspace, tagging(place.course)).json()["id"]
    place.hub.complete(UUID(first))
    colleague = place.member("administrator")
    second = place.client.create_job(place.workspace, tagging(place.course, "b")).json()["id"]
    assert colleague.post(f"{place.path}/jobs/{second}/cancel").status_code == 200
    trail = place.client.get(f"{place.path}/jobs/{first}/audit").json()
    assert trail["next_cursor"] is None
    assert [event["event"] for event in trail["events"]] == ["job.queued", "job.claimed", "job.succeeded"]
    queued, claimed, _ = trail["events"]
    assert set(queued) == {"id", "event", "at", "job_id", "actor", "by", "worker", "address", "detail"}
    assert queued["actor"] == {"id": str(place.administrator.id), "name": place.administrator.name}
    assert (queued["by"], queued["address"], queued["job_id"]) == ("user", "127.0.0.1", first)
    assert (claimed["by"], claimed["worker"], claimed["actor"]) == ("worker", "worker", None)
    whole, cursor = [], ""
    while True:
        answer = place.client.get(f"{place.path}/audit?limit=4{cursor}").json()
        whole += answer["events"]
        if answer["next_cursor"] is None:
            break
        cursor = f"&cursor={answer['next_cursor']}"
    assert [event["event"] for event in reversed(whole)] == [
        *(event["event"] for event in trail["events"]),
        "job.queued",
        "job.cancel_requested",
        "job.cancelled",
    ]
    assert whole[-3:] == trail["events"][::-1]
    assert whole[1]["actor"]["id"] != whole[2]["actor"]["id"]


def test_a_preview_counts_without_changing(place: Place) -> None:
    place.hub.complete(place.hub.add_job(place.administrator, place.workspace, place.course, "a"))
    place.hub.connection.execute(
        "UPDATE hub_store.page SET tags = '{b}' WHERE course_id = %s AND position = 1", (place.course,)
    )
    path = f"{place.path}/courses/{place.course}/tagging-preview"
    before = place.hub.footprint()
    assert place.client.post(path, json={"tags": ["A"]}).json() == {
        "total": 3,
        "would_change": 1,
        "have_all": 2,
    }
    for body, pointer in [
        ({"tags": []}, "/tags"),
        ({"tags": ["a,"]}, "/tags/0"),
        ({"tags": ["a"], "x": 1}, "/x"),
    ]:
        problem = assert_problem(place.client.post(path, json=body), 422, "validation")
        assert [error["pointer"] for error in problem["errors"]] == [pointer]
    unknown = place.client.post(f"{place.path}/courses/{uuid4()}/tagging-preview", json={"tags": ["a"]})
    assert_problem(unknown, 404, "not-found")
    assert place.hub.footprint() == before


def test_reading_is_quick_while_a_page_is_locked(place: Place) -> None:
    with place.hub.connection.transaction():
        place.hub.connection.execute(
            "SELECT FROM hub_store.page WHERE course_id = %s FOR UPDATE", (place.course,)
        )
        started = time.monotonic()
        assert place.client.get(f"{place.path}/pages").status_code == 200
        assert time.monotonic() - started < 0.5
        page = place.client.get(f"{place.path}/pages").json()["pages"][0]["id"]
        response = place.client.delete(f"{place.path}/pages/{page}", headers={"If-Match": "*"})
        assert_problem(response, 503, "unavailable")
        assert int(response.headers["retry-after"]) > 0
    assert len(place.hub.pages(place.course)) == 3
