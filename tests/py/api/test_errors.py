"""What the API makes of errors of the database, and what it says about itself when it fails."""

import json
import re
from concurrent.futures import ThreadPoolExecutor

import httpx

from api.problems import PROBLEMS
from api.server import POOL_SIZE
from tests.py.api.client import assert_problem
from tests.py.api.conftest import Place, StartApi
from tests.py.api.hub import Hub, wait_until

SECRET = "Geheimnis-9f2c"


def break_workspaces(hub: Hub, body: str) -> None:
    """Make hub.list_workspaces run `body`; sequences, which no rollback undoes, keep count and who ran it."""
    for sequence in ("calls", "backend"):
        hub.connection.execute(f"CREATE SEQUENCE IF NOT EXISTS public.{sequence}")
        hub.connection.execute(f"GRANT ALL ON SEQUENCE public.{sequence} TO hub_owner")
    hub.connection.execute(
        "CREATE OR REPLACE FUNCTION hub.list_workspaces(p_session bytea)"
        " RETURNS TABLE (outcome text, detail jsonb, body text) LANGUAGE plpgsql SECURITY DEFINER"
        " AS $$ BEGIN PERFORM nextval('public.calls'), setval('public.backend', pg_backend_pid());"
        f" {body} RETURN QUERY SELECT 'ok', NULL::jsonb, '{{}}'; END $$"
    )


def calls(hub: Hub) -> int:
    return int(hub.one("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM public.calls"))


def is_dropped(hub: Hub) -> bool:
    """Whether the server process that ran the broken function has ended."""
    query = "SELECT NOT EXISTS (SELECT FROM pg_stat_activity, public.backend WHERE pid = last_value)"
    return bool(hub.one(query))


def test_a_lost_conflict_is_tried_three_times(own_place: Place) -> None:
    hub = own_place.hub
    for number, state in enumerate(["40001", "40P01"]):
        break_workspaces(hub, f"RAISE 'x' USING ERRCODE = '{state}';")
        response = own_place.client.get("/api/workspaces")
        assert_problem(response, 503, "unavailable")
        assert int(response.headers["retry-after"]) > 0
        assert calls(hub) == 6 * number + 3
        twice = f"IF currval('public.calls') % 3 <> 0 THEN RAISE 'x' USING ERRCODE = '{state}'; END IF;"
        break_workspaces(hub, twice)
        assert own_place.client.get("/api/workspaces").status_code == 200
        assert calls(hub) == 6 * number + 6


def test_what_the_database_cannot_do_now_is_503_and_its_connection_is_dropped(own_place: Place) -> None:
    hub = own_place.hub
    states = ["08006", "25006", "25P03", "53100", "53300", "55P03", "57014", "57P01"]
    for number, state in enumerate(states, 1):
        break_workspaces(hub, f"RAISE '{SECRET}' USING ERRCODE = '{state}';")
        response = own_place.client.get("/api/workspaces")
        problem = assert_problem(response, 503, "unavailable")
        assert int(response.headers["retry-after"]) > 0
        assert SECRET not in json.dumps(problem)
        assert calls(hub) == number
        wait_until(lambda: is_dropped(hub), f"the connection is dropped at {state}")
    assert own_place.client.get("/api/session").status_code == 200


def test_anything_else_is_500_and_says_nothing_of_its_cause(own_place: Place) -> None:
    bodies = [
        f"RAISE '{SECRET}';",
        f"RAISE 'x' USING ERRCODE = 'KH500', DETAIL = '{SECRET}', HINT = '{SECRET}';",
        f"PERFORM '{SECRET}'::integer;",
        f"UPDATE hub_store.app_user SET email = '{SECRET}';",
        "RETURN QUERY SELECT 'nonsense', NULL::jsonb, NULL::text;",
    ]
    for number, body in enumerate(bodies, 1):
        break_workspaces(own_place.hub, body)
        response = own_place.client.get("/api/workspaces")
        problem = assert_problem(response, 500, "internal")
        assert SECRET not in response.text
        assert problem["detail"] == PROBLEMS["internal"].text
        assert calls(own_place.hub) == number
        line = [line for line in own_place.api.log() if line["event"] == "request failed"][-1]
        assert line["request_id"] == problem["request_id"]
        assert line["level"] == "error"
        assert "content.py" in line["error"]
        assert SECRET not in own_place.api.log_text()
        assert not is_dropped(own_place.hub)
    assert own_place.client.get("/api/session").status_code == 200


def test_connections_that_died_while_idle_are_replaced_unseen(own_place: Place) -> None:
    assert own_place.client.get("/api/workspaces").status_code == 200
    own_place.hub.connection.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE usename = 'hub_api' AND datname = current_database()"
    )
    assert own_place.client.get("/api/workspaces").status_code == 200
    own_place.api.wait_until("/readyz")


def test_without_a_database_the_process_starts_and_answers_503(start_api: StartApi) -> None:
    api = start_api(url="postgresql://hub_api@127.0.0.1:1/nothing", until="/healthz")
    client = api.client("t" * 43)
    assert_problem(client.get("/api/workspaces"), 503, "unavailable")
    problem = assert_problem(client.get("/readyz"), 503, "not-ready")
    assert problem["failing"] == ["database", "listener"]


def test_requests_that_find_no_free_connection_are_503(own_place: Place) -> None:
    break_workspaces(own_place.hub, "PERFORM pg_sleep(4);")

    def ask(_: int) -> httpx.Response:
        with own_place.api.new_client(own_place.client.token) as client:
            return client.get("/api/workspaces")

    with ThreadPoolExecutor(POOL_SIZE * 2) as threads:
        answers = list(threads.map(ask, range(POOL_SIZE * 2)))
    refused = [answer for answer in answers if answer.status_code != 200]
    assert len(refused) == POOL_SIZE
    for answer in refused:
        assert_problem(answer, 503, "unavailable")


def test_the_log_is_json_and_holds_no_secret(own_place: Place) -> None:
    client, token = own_place.client, own_place.client.token
    assert token
    assert client.create_job(own_place.workspace, {"kind": "nonsense"}, "a-very-own-key").status_code == 422
    job = own_place.hub.add_job(own_place.administrator, own_place.workspace, own_place.course)
    response = client.get(f"{own_place.path}/jobs/{job}?cursor=a-secret-parameter")
    own_place.api.client(None).post(
        "/api/session",
        json={"email": own_place.administrator.email, "password": "a very own password"},
        headers={"X-CSRF-Token": "login"},
    )
    text = own_place.api.log_text()
    for secret in (
        token,
        client.headers["X-CSRF-Token"],
        "a-very-own-key",
        "a-secret-parameter",
        "a very own password",
    ):
        assert secret not in text
    lines = {line.get("request_id"): line for line in own_place.api.log()}
    line = lines[response.headers["x-request-id"]]
    assert (line["event"], line["method"], line["status"]) == ("request", "GET", 200)
    assert line["job_id"] == str(job)


def test_every_problem_type_has_a_page(place: Place) -> None:
    client = place.api.client(None)
    for slug, problem in PROBLEMS.items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", slug)
        response = client.get(f"/problems/{slug}")
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        assert problem.title in response.text.replace("&#x27;", "'")
    type_ = client.get("/api/session").json()["type"]
    assert client.get(type_).status_code == 200
