"""The web page and its files."""

import re
from uuid import uuid4

from tests.py.api.client import assert_problem
from tests.py.api.conftest import Place

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'"
)


def test_the_page_is_at_each_of_its_addresses_for_everybody(place: Place) -> None:
    client = place.api.client(None)
    pages = [
        client.get(path)
        for path in ("/", f"/workspaces/{place.workspace}", f"/workspaces/{uuid4()}/jobs/{uuid4()}")
    ]
    for page in pages:
        assert page.status_code == 200
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert page.headers["content-security-policy"] == POLICY
        assert page.headers["x-content-type-options"] == "nosniff"
        assert page.headers["referrer-policy"] == "no-referrer"
        assert page.headers["cache-control"] == "no-store"
        assert page.content == pages[0].content


def test_its_files_are_cached_for_ever_under_their_hash(place: Place) -> None:
    client = place.api.client(None)
    text = client.get("/").text
    assert "HASH" not in text
    addresses = re.findall(r'"(/static/[0-9a-f]{16}/[^"]+)"', text)
    assert {address.rpartition(".")[2] for address in addresses} >= {"js", "css"}
    for address in addresses:
        response = client.get(address)
        assert response.status_code == 200
        assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert response.headers["content-type"].startswith(("text/javascript", "text/css"))
        assert response.headers["x-content-type-options"] == "nosniff"
        for module in re.findall(r"from '\./([\w-]+\.js)'", response.text):
            assert client.get(address.rpartition("/")[0] + "/" + module).status_code == 200


def test_other_addresses_lead_to_no_file(place: Place) -> None:
    client = place.api.client(None)
    found = re.search(r"/static/[0-9a-f]{16}/", client.get("/").text)
    assert found
    for path in (
        "/static/0000000000000000/main.js",
        f"{found[0]}nothing.js",
        f"{found[0]}index.html",
        f"{found[0]}../static_files.py",
        f"{found[0]}..%2Fstatic_files.py",
        f"{found[0]}%2e%2e/static_files.py",
        f"{found[0]}/etc/passwd",
        found[0],
    ):
        assert_problem(client.get(path), 404, "not-found")
