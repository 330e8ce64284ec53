"""The effective remote address."""

import pytest

from api.address import MOST_HOPS, AddressResolver
from knowledgehub import configuration

TRUSTED = "10.0.0.0/8, fd00::/8, 2001:db8:ffff::/48"


def resolve(peer: str | None, *lines: str, trusted: str | None = TRUSTED) -> str | None:
    environ = {} if trusted is None else {"KNOWLEDGEHUB_TRUSTED_PROXIES": trusted}
    resolver = AddressResolver(configuration.load(environ).trusted_proxies)
    return resolver.resolve(peer, [line.encode("latin-1") for line in lines])


@pytest.mark.parametrize(
    ("peer", "lines", "address"),
    [
        ("203.0.113.9", ["1.2.3.4"], "203.0.113.9"),
        ("10.0.0.5", [], "10.0.0.5"),
        ("10.0.0.5", [""], "10.0.0.5"),
        ("10.0.0.5", ["1.1.1.1, 198.51.100.7"], "198.51.100.7"),
        ("10.0.0.5", ["198.51.100.7, 10.9.9.9"], "198.51.100.7"),
        ("10.0.0.5", ["10.1.1.1, 10.2.2.2"], "10.1.1.1"),
        ("10.0.0.5", ["198.51.100.7", "1.1.1.1, 10.2.2.2"], "1.1.1.1"),
        ("::ffff:10.0.0.5", ["198.51.100.7"], "198.51.100.7"),
        ("10.0.0.5", ["::ffff:c633:6407"], "198.51.100.7"),
        ("10.0.0.5", ["198.51.100.7:51234"], "198.51.100.7"),
        ("10.0.0.5", ["[2001:db8::1]:443"], "2001:db8::1"),
        ("10.0.0.5", ["fe80::1%eth0"], "10.0.0.5"),
        ("10.0.0.5", ["198.51.100.7, _hidden"], "10.0.0.5"),
        ("10.0.0.5", ["198.51.100.7, unknown, 10.2.2.2"], "10.2.2.2"),
        ("10.0.0.5", ["198.51.100.007"], "10.0.0.5"),
    ],
)
def test_it_is_the_nearest_that_no_trusted_proxy_has(peer: str, lines: list[str], address: str) -> None:
    assert resolve(peer, *lines) == address


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("::FFFF:CB00:7109", "203.0.113.9"),
        ("2001:DB8:0:0::1", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("10.0.0.5", "10.0.0.5"),
        (None, None),
    ],
)
def test_by_default_it_is_the_socket_peers_in_one_form(peer: str | None, address: str | None) -> None:
    assert resolve(peer, "198.51.100.7", trusted=None) == address


@pytest.mark.parametrize(
    ("member", "address"),
    [
        ("2001:DB8::0:1", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("[::ffff:198.51.100.7]:80", "198.51.100.7"),
        ("::ffff:10.1.1.1", "10.1.1.1"),
        ("fd00::7", "fd00::7"),
        ("\t198.51.100.7 ", "198.51.100.7"),
        (",, 198.51.100.7 , ,", "198.51.100.7"),
        *(
            (wrong, "10.0.0.5")
            for wrong in (
                "198.51.100.7:",
                "198.51.100.7:123456",
                "198.51.100.7:http",
                "198.51.100.7:80:80",
                "198.51.100",
                "3325256711",
                "0xc6336407",
                "198.51.100.7/32",
                "198.51.100.256",
                "[198.51.100.7]",
                "[2001:db8::1",
                "2001:db8::1]:443",
                "[2001:db8::1]443",
                "[fe80::1%25eth0]",
                "2001:db8:::1",
                '"198.51.100.7"',
                "for=198.51.100.7",
                "198.51.100.7 1.1.1.1",
                "198.51.100.\xb2",
                "localhost",
                "-",
            )
        ),
    ],
)
def test_a_member_is_an_address_perhaps_with_a_port_or_ends_the_search(member: str, address: str) -> None:
    assert resolve("10.0.0.5", member) == address


def test_at_most_twenty_hops_are_read() -> None:
    hops = [f"10.1.1.{number}" for number in range(MOST_HOPS - 1)]
    assert resolve("10.0.0.5", ", ".join(["198.51.100.7", *hops])) == "198.51.100.7"
    assert resolve("10.0.0.5", ", ".join(["198.51.100.7", "10.2.2.2", *hops])) == "10.2.2.2"


def test_only_the_last_2048_bytes_are_read_and_no_half_address_in_them() -> None:
    filling = "," * (2048 - len("198.51.100.7"))
    assert resolve("10.0.0.5", "1.1.1.1,198.51.100.7" + filling) == "198.51.100.7"
    assert resolve("10.0.0.5", "198.51.100.7" + filling) == "198.51.100.7"
    assert resolve("10.0.0.5", "198.51.100.7," + filling) == "10.0.0.5"
    assert resolve("10.0.0.5", "1198.51.100.7" + filling) == "10.0.0.5"
    assert resolve("10.0.0.5", "198.51.100.7", filling) == "10.0.0.5"


@pytest.mark.parametrize(("trusted", "address"), [("10.0.0.0/8", None), ("unix", "198.51.100.7")])
def test_the_peer_of_a_unix_socket_has_none_and_is_trusted_by_name(trusted: str, address: str | None) -> None:
    assert resolve(None, "198.51.100.7", trusted=trusted) == address
    assert resolve(None, trusted=trusted) is None


def test_every_trusted_network_counts() -> None:
    assert resolve("fd12::1", "198.51.100.7, 2001:db8:ffff:1::1, 10.1.1.1") == "198.51.100.7"
    assert resolve("2001:db8:fffe::1", "198.51.100.7") == "2001:db8:fffe::1"
    assert resolve("10.0.0.5", "198.51.100.7", trusted="10.0.0.5") == "198.51.100.7"
    assert resolve("10.0.0.6", "198.51.100.7", trusted="10.0.0.5/32") == "10.0.0.6"
