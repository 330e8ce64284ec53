"""The effective remote address."""

import pytest
from falcon.asgi import Request
from falcon.testing import ASGIRequestEventEmitter, create_scope

from api.address import effective_address


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("::FFFF:CB00:7109", "203.0.113.9"),
        ("2001:DB8:0:0::1", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
        (None, None),
    ],
)
def test_it_is_the_socket_peers_in_one_form(peer: str | None, address: str | None) -> None:
    scope = create_scope(headers={"X-Forwarded-For": "198.51.100.7", "Forwarded": "for=198.51.100.7"})
    scope["client"] = None if peer is None else (peer, 50_000)
    assert effective_address(Request(scope, ASGIRequestEventEmitter())) == address
