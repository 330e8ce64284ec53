"""The session's cookie is read strictly: what browsers let other hosts set must never be taken for it."""

import pytest

from api.cookies import SessionCookie
from tests.py.api.client import assert_problem
from tests.py.api.conftest import Place

TOKEN = "t" * 43
OTHER = "o" * 43

ACCEPTED = [
    "{name}={token}",
    "a=b; {name}={token}",
    "{name}={token}; a=b",
    "a=b;{name}={token}",
    "a={other}; b; =; {name}={token}; c=d=e",
    "x{name}={other}; {name}={token}",
    "{name}2={other}; {name}={token}",
]
REFUSED = [
    "{name}={token}; {name}={other}",
    "{name}={token}; {name}={token}",
    "{name}={token};  {name}={other}",
    "\xa0{name}={other}",
    "{name}\xa0={other}",
    "{name}={token}; \xa0{name}={other}",
    "\xa0{name}={other}; {name}={token}",
    "{name} ={token}",
    "a=b;  {name}={token}",
    "a=b;\t{name}={token}",
    "a=b; {name}\t={token}",
    "\x85{name}={token}",
    "\xe2\x80\x80{name}={other}; {name}={token}",
    "\xe3\x80\x80{name}={token}",
    '{name}="{token}"',
    "{name}= {token}",
    "{name}={token} ",
    "{name}",
    "{name}=",
    "{name}={token}x",
    "{name}=" + "t" * 42,
    "{name}=" + "t" * 42 + "=",
    "{name}=" + "t" * 42 + "\xe9",
    "a={name}={token}",
    "a=b, {name}={token}",
]


@pytest.mark.parametrize("origin", ["https://hub.example.org", "http://127.0.0.1:8000"])
@pytest.mark.parametrize("form", ACCEPTED)
def test_the_one_cookie_is_found(origin: str, form: str) -> None:
    assert read(origin, form) == TOKEN


@pytest.mark.parametrize("origin", ["https://hub.example.org", "http://127.0.0.1:8000"])
@pytest.mark.parametrize("form", REFUSED)
def test_what_only_resembles_it_is_refused(origin: str, form: str) -> None:
    assert read(origin, form) is None


@pytest.mark.parametrize("name", ["Session", "SESSION", "session"])
def test_another_case_is_no_host_cookie(name: str) -> None:
    cookie = SessionCookie("https://hub.example.org")
    assert cookie.read([f"__host-{name}={TOKEN}".encode()]) is None
    assert cookie.read([f"__Host-session={TOKEN}; __HOST-{name}={OTHER}".encode()]) is None


def test_cookies_of_several_lines_count_together() -> None:
    cookie = SessionCookie("http://localhost")
    assert cookie.read([b"a=b", f"session={TOKEN}".encode()]) == TOKEN
    assert cookie.read([f"session={TOKEN}".encode(), f"session={OTHER}".encode()]) is None
    assert cookie.read([]) is None


@pytest.mark.parametrize(
    ("origin", "name"),
    [
        ("http://localhost:8000", "session"),
        ("http://127.0.0.1", "session"),
        ("http://[::1]:8000", "session"),
        ("https://localhost", "__Host-session"),
        ("http://hub.example.org", "__Host-session"),
        ("http://127.0.0.1.example.org", "__Host-session"),
        ("http://localhost.example.org", "__Host-session"),
    ],
)
def test_only_http_on_loopback_goes_without_the_prefix(origin: str, name: str) -> None:
    issued = SessionCookie(origin).issue(TOKEN)
    assert issued.startswith(f"{name}={TOKEN}; ")
    assert ("Secure" in issued) == name.startswith("__Host-")


def test_the_server_applies_this_to_what_comes_over_the_wire(place: Place) -> None:
    token = place.client.token
    assert token
    other = place.hub.sign_in(place.hub.add_person())
    client = place.api.client(None)
    for form in ACCEPTED + REFUSED:
        if form.endswith(" "):
            continue  # at the end of a header it is none of the value
        cookie = form.format(name="session", token=token, other=other).replace("t" * 42, token[:42])
        response = client.get("/api/session", headers=[(b"Cookie", cookie.encode("latin-1"))])
        if form in REFUSED:
            assert_problem(response, 401, "unauthenticated")
        else:
            assert response.json()["user"]["id"] == str(place.administrator.id)


def read(origin: str, form: str) -> str | None:
    name = SessionCookie(origin).clear().partition("=")[0]
    return SessionCookie(origin).read([form.format(name=name, token=TOKEN, other=OTHER).encode("latin-1")])
