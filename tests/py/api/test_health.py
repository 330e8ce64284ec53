"""/healthz and /readyz."""

from pathlib import Path

from tests.py.api.client import assert_problem
from tests.py.api.conftest import Place, StartApi
from tests.py.api.hub import Hub


def test_a_serving_process_is_healthy_and_ready(place: Place) -> None:
    client = place.api.client(None)
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready"}


def test_an_older_schema_is_named(own_place: Place) -> None:
    own_place.hub.connection.execute(
        "CREATE OR REPLACE FUNCTION jobs.schema_version() RETURNS integer LANGUAGE sql AS 'SELECT 0'"
    )
    problem = assert_problem(own_place.client.get("/readyz"), 503, "not-ready")
    assert problem["failing"] == ["schema"]
    assert "knowledgehub migrate" in problem["detail"]


def test_a_database_without_our_schema_is_named(own_hub: Hub, start_api: StartApi) -> None:
    own_hub.connection.execute("DROP SCHEMA jobs CASCADE")
    api = start_api(until="/healthz")
    problem = assert_problem(api.client(None).get("/readyz"), 503, "not-ready")
    assert problem["failing"][0] == "schema"


def test_both_processes_of_a_server_carry_its_name(place: Place) -> None:
    children = Path(f"/proc/{place.api.pid}/task/{place.api.pid}/children").read_text().split()
    assert len(children) == 1
    for pid in (place.api.pid, *children):
        title = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0")
        assert title == b"knowledgehub api"


def test_metrics_are_for_who_has_the_token(own_hub: Hub, start_api: StartApi) -> None:
    token = "a-token-that-nobody-guesses"
    api = start_api(KNOWLEDGEHUB_METRICS_TOKEN=token)
    client = api.client(own_hub.sign_in(own_hub.add_person()))
    for sent in (None, token, f"Bearer {token}x", f"bearer {token}", f"Basic {token}"):
        headers = {} if sent is None else {"Authorization": sent}
        assert_problem(client.get("/metrics", headers=headers), 404, "not-found")
    response = client.get("/metrics", headers={"Authorization": f"Bearer {token}"})
    assert response.status_code == 200
    assert "knowledgehub_streams 0\n" in response.text
    assert "knowledgehub_listening 1\n" in response.text
    assert token not in api.log_text()


def test_without_a_token_there_are_no_metrics(place: Place) -> None:
    for sent in ("Bearer None", "Bearer", "None"):
        assert_problem(place.client.get("/metrics", headers={"Authorization": sent}), 404, "not-found")
