"""The web page and its files."""

import re
from uuid import uuid4

import pytest

from api.static_files import FOLDER
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
        for path in (
            "/",
            f"/workspaces/{place.workspace}",
            f"/workspaces/{uuid4()}/jobs/{uuid4()}",
            f"/workspaces/{uuid4()}/courses?course={uuid4()}",
            f"/workspaces/{uuid4()}/pages/{uuid4()}",
            f"/workspaces/{uuid4()}/backups",
            f"/workspaces/{uuid4()}/audit",
        )
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


def test_the_page_names_each_of_its_modules_so_that_none_waits_for_another(place: Place) -> None:
    preloaded = re.findall(r'modulepreload" href="[^"]+/([\w-]+\.js)"', place.api.client(None).get("/").text)
    assert sorted(preloaded) == sorted(path.name for path in FOLDER.glob("*.js"))


def test_a_file_that_is_still_the_same_is_not_sent_again(place: Place) -> None:
    client = place.api.client(None)
    found = re.search(r"/static/[0-9a-f]{16}/main\.js", client.get("/").text)
    assert found
    first = client.get(found[0])
    again = client.get(found[0], headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert client.get(found[0], headers={"If-None-Match": '"other"'}).content == first.content


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip", "gzip"),
        ("br, x-gzip;q=0.5", "gzip"),
        ("gzip;q=0", None),
        ("gzip;q=0.000", None),
        ("br", None),
        ("identity", None),
    ],
)
def test_the_page_is_sent_compressed_to_who_takes_that(
    place: Place, accepted: str, coding: str | None
) -> None:
    client = place.api.client(None)
    plain = client.get("/", headers={"Accept-Encoding": "identity"}).text
    found = re.search(r"/static/[0-9a-f]{16}/app\.css", plain)
    assert found
    for path, content in (("/", plain), (found[0], (FOLDER / "app.css").read_text(encoding="utf-8"))):
        response = client.get(path, headers={"Accept-Encoding": accepted})
        assert response.headers.get("content-encoding") == coding
        assert response.headers["vary"] == "Accept-Encoding"
        assert response.text == content
        assert coding is None or int(response.headers["content-length"]) < len(content) / 2


def test_scripts_are_sent_without_comments_and_with_their_lines_where_they_were(place: Place) -> None:
    client = place.api.client(None)
    text = client.get("/").text
    addresses = re.findall(r'modulepreload" href="([^"]+)"', text)
    assert addresses
    for address in addresses:
        source = (FOLDER / address.rpartition("/")[2]).read_text(encoding="utf-8").splitlines()
        sent = client.get(address).text.splitlines()
        assert len(sent) == len(source)
        in_comment = False
        for line, other in zip(source, sent, strict=True):
            text = line.strip()
            in_comment = in_comment or text.startswith("/*")
            assert (other.strip() == "") == (in_comment or text == "" or text.startswith("//")), line
            assert other in {line, ""}
            # Nothing of the program stands behind a comment's end, to be left out with it.
            assert not in_comment or "*/" not in text or text.endswith("*/")
            in_comment = in_comment and "*/" not in text


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
