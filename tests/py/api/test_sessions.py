"""/api/session."""

import re
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.py.api.client import Client, assert_problem
from tests.py.api.conftest import Place, StartApi
from tests.py.api.hub import PASSWORD, Hub, csrf_token


def sign_in(client: Client, email: str, password: str = PASSWORD, **headers: str) -> httpx.Response:
    return client.post(
        "/api/session",
        json={"email": email, "password": password},
        headers={"X-CSRF-Token": "login", **headers},
    )


def anonymous(place: Place) -> Client:
    return place.api.client(None)


def test_signing_in_answers_who_one_is_and_sets_a_strict_cookie(place: Place) -> None:
    response = sign_in(anonymous(place), place.administrator.email)
    assert response.status_code == 200
    cookie = response.headers["set-cookie"]
    match = re.fullmatch(r"session=([\w-]{43}); Max-Age=43200; Path=/; HttpOnly; SameSite=Strict", cookie)
    assert match, cookie
    assert response.json() == {
        "user": {
            "id": str(place.administrator.id),
            "name": place.administrator.name,
            "email": place.administrator.email,
        },
        "workspaces": [
            {"id": str(place.workspace), "title": "Handbook", "role": "administrator", "enabled": True}
        ],
        "csrf_token": csrf_token(match[1]),
    }
    assert place.api.client(match[1]).get("/api/session").json() == response.json()


def test_another_public_origin_gets_a_host_cookie(own_hub: Hub, start_api: StartApi) -> None:
    api = start_api(KNOWLEDGEHUB_PUBLIC_ORIGIN="https://hub.example.org")
    client, person = api.client(None), own_hub.add_person()
    cookie = sign_in(client, person.email).headers["set-cookie"]
    match = re.fullmatch(
        r"__Host-session=([\w-]{43}); Max-Age=43200; Path=/; HttpOnly; SameSite=Strict; Secure", cookie
    )
    assert match, cookie
    client.cookies.clear()
    assert client.get("/api/session", headers={"Cookie": f"session={match[1]}"}).status_code == 401
    response = client.get("/api/session", headers={"Cookie": f"__Host-session={match[1]}"})
    assert response.status_code == 200
    assert_problem(
        client.delete(
            "/api/session",
            headers={
                "Cookie": f"__Host-session={match[1]}",
                "X-CSRF-Token": csrf_token(match[1]),
                "Origin": api.address,
            },
        ),
        403,
        "csrf",
    )


def test_the_email_is_taken_in_any_case_and_trimmed(place: Place) -> None:
    assert sign_in(anonymous(place), f" {place.administrator.email.upper()} ").status_code == 200


def test_unknown_wrong_and_disabled_look_the_same(place: Place) -> None:
    disabled = place.hub.add_person()
    place.hub.set_enabled(disabled, enabled=False)
    answers = [
        sign_in(anonymous(place), "nobody@example.org"),
        sign_in(anonymous(place), place.administrator.email, "wrong horse battery"),
        sign_in(anonymous(place), disabled.email),
    ]
    problems = [assert_problem(answer, 401, "credentials") for answer in answers]
    for problem in problems:
        del problem["request_id"]
    assert problems == [problems[0]] * 3
    assert not any("set-cookie" in answer.headers for answer in answers)


def test_signing_in_renews_a_hash_of_other_parameters(place: Place) -> None:
    query = "SELECT password_hash FROM hub_store.app_user WHERE id = %s"
    before = place.hub.one(query, place.administrator.id)
    assert sign_in(anonymous(place), place.administrator.email).status_code == 200
    after = place.hub.one(query, place.administrator.id)
    assert "m=8," in before
    assert "m=65536," in after
    assert sign_in(anonymous(place), place.administrator.email).status_code == 200
    assert place.hub.one(query, place.administrator.id) == after


def test_parallel_sign_ins_all_succeed_though_one_renews_the_hash(place: Place) -> None:
    clients = [anonymous(place) for _ in range(4)]
    with ThreadPoolExecutor(len(clients)) as threads:
        answers = list(threads.map(lambda client: sign_in(client, place.administrator.email), clients))
    assert [answer.status_code for answer in answers] == [200] * 4
    for answer in answers:
        token = answer.headers["set-cookie"].partition(";")[0].partition("=")[2]
        assert place.api.client(token).get("/api/session").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"X-CSRF-Token": ""},
        {"X-CSRF-Token": "Login"},
        {"Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_another_site_cannot_sign_somebody_in(place: Place, headers: dict[str, str]) -> None:
    response = sign_in(anonymous(place), place.administrator.email, **headers)
    assert_problem(response, 403, "csrf")
    assert "set-cookie" not in response.headers


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ([], [""]),
        ("text", [""]),
        ({}, ["/email", "/password"]),
        ({"email": 1, "password": None}, ["/email", "/password"]),
        ({"email": "a@example.org", "password": "x", "a/b~c": 1}, ["/a~1b~0c"]),
    ],
)
def test_a_wrong_shape_is_named(place: Place, body: object, pointers: list[str]) -> None:
    response = anonymous(place).post("/api/session", json=body, headers={"X-CSRF-Token": "login"})
    problem = assert_problem(response, 422, "validation")
    assert [error["pointer"] for error in problem["errors"]] == pointers


def test_of_many_wrong_members_the_first_hundred_are_named(place: Place) -> None:
    body = {"email": 1} | {f"member-{number}": 1 for number in range(1000)}
    response = anonymous(place).post("/api/session", json=body, headers={"X-CSRF-Token": "login"})
    errors = assert_problem(response, 422, "validation")["errors"]
    expected = ["/email", "/password", *(f"/member-{number}" for number in range(98))]
    assert [error["pointer"] for error in errors] == expected


def test_signing_in_again_ends_the_session_that_the_browser_had(place: Place) -> None:
    other = place.api.client(place.hub.sign_in(place.administrator))
    wrong = sign_in(
        place.client, place.administrator.email, "wrong horse battery", **{"X-CSRF-Token": "login"}
    )
    assert_problem(wrong, 401, "credentials")
    assert other.get("/api/session").status_code == 200
    assert place.api.client(place.client.token).get("/api/session").status_code == 200
    response = sign_in(place.client, place.administrator.email)
    assert response.status_code == 200
    token = response.headers["set-cookie"].partition(";")[0].partition("=")[2]
    assert token != place.client.token
    assert place.api.client(token).get("/api/session").status_code == 200
    assert_problem(place.api.client(place.client.token).get("/api/session"), 401, "unauthenticated")
    assert other.get("/api/session").status_code == 200


def test_signing_out_ends_the_session_everywhere(place: Place) -> None:
    other_tab = place.api.client(place.client.token)
    response = place.client.delete("/api/session")
    assert response.status_code == 204
    assert response.content == b""
    assert response.headers["set-cookie"] == "session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict"
    assert_problem(other_tab.get("/api/session"), 401, "unauthenticated")
    assert_problem(other_tab.get(place.path + "/jobs"), 401, "unauthenticated")
    assert_problem(other_tab.delete("/api/session"), 401, "unauthenticated")


def test_without_a_session_everything_is_401(place: Place) -> None:
    for client in (anonymous(place), place.api.client("A" * 43)):
        for path in ("/api/session", "/api/workspaces", f"{place.path}/jobs", f"{place.path}/pages"):
            assert_problem(client.get(path), 401, "unauthenticated")
        assert_problem(client.create_job(place.workspace, {}), 401, "unauthenticated")


@pytest.mark.parametrize(
    ("column", "alive", "over"),
    [("last_seen_at", "29 minutes", "2 minutes"), ("created_at", "11 hours 59 minutes", "2 minutes")],
)
def test_a_session_ends_when_idle_and_at_the_latest(place: Place, column: str, alive: str, over: str) -> None:
    token = place.hub.sign_in(place.administrator)
    place.hub.age_session(token, column, alive)
    client = place.api.client(token)
    assert client.get(f"{place.path}/jobs").status_code == 200
    place.hub.age_session(token, column, over)
    assert_problem(client.get(f"{place.path}/jobs"), 401, "unauthenticated")
    assert_problem(client.get("/api/session"), 401, "unauthenticated")


def test_disabling_a_user_ends_his_sessions(place: Place) -> None:
    place.hub.set_enabled(place.administrator, enabled=False)
    assert_problem(place.client.get("/api/session"), 401, "unauthenticated")
    place.hub.set_enabled(place.administrator, enabled=True)
    assert_problem(place.client.get("/api/session"), 401, "unauthenticated")


def test_polls_do_not_extend_the_session_and_other_requests_do(place: Place) -> None:
    token = place.client.token
    assert token
    job = place.hub.add_job(place.administrator, place.workspace, place.course)
    place.hub.age_session(token, "last_seen_at", "10 minutes")
    for path in ("jobs", f"jobs/{job}", f"jobs/{job}/errors", f"jobs/{job}/audit", "audit"):
        assert place.client.get(f"{place.path}/{path}").status_code == 200
        assert place.client.head(f"{place.path}/{path}").status_code == 200
    assert place.hub.session_age(token) > 590
    assert place.client.get(f"{place.path}/courses").status_code == 200
    assert place.hub.session_age(token) < 60
    place.hub.age_session(token, "last_seen_at", "10 minutes")
    assert place.client.post(f"{place.path}/jobs/{job}/cancel").status_code == 200
    assert place.hub.session_age(token) < 60


def test_a_refused_forgery_does_not_extend_the_session(place: Place) -> None:
    token = place.client.token
    assert token
    place.hub.age_session(token, "last_seen_at", "10 minutes")
    assert_problem(place.client.delete("/api/session", headers={"X-CSRF-Token": "no"}), 403, "csrf")
    assert place.hub.session_age(token) > 590
