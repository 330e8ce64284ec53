"""The effective remote address: the socket peer's, or the one that trusted proxies vouch for.

Only X-Forwarded-For is read, from its right end, for what is right of an address was written by the peer that
has this address: a member counts only while everything between it and this process is trusted.
"""

import re
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from falcon.asgi import Request

from knowledgehub.configuration import TrustedProxies

UNKNOWN = "unknown"
"""What stands for the address of a peer that has none."""

MOST_HOPS = 20
MOST_BYTES = 2048

# An address, bare or in brackets, perhaps with a port. What is in the groups still has to be an address.
_MEMBER = re.compile(
    r"(?P<v4>[0-9.]+)(?::[0-9]{1,5})?|\[(?P<v6>[0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?|(?P<bare>[0-9A-Fa-f:.]+)"
)

Address = IPv4Address | IPv6Address


class AddressResolver:
    """Finds the effective address of a request, canonical and without zone; IPv4-mapped ones become IPv4."""

    def __init__(self, trusted: TrustedProxies) -> None:
        self._networks: tuple[IPv4Network | IPv6Network, ...] = trusted.networks
        self._trusts_unix = trusted.unix

    def resolve(self, peer: str | None, forwarded: Iterable[bytes]) -> str | None:
        """Return the address, or None for a Unix socket's peer for whom nobody vouches.

        `peer`: the socket's, None for a Unix socket; `forwarded`: the lines of X-Forwarded-For in wire order.
        """
        address = None if peer is None else _unmapped(ip_address(peer.partition("%")[0]))
        for member in _members(forwarded):
            if not self._is_trusted(address):
                break
            found = _parse(member)
            if found is None:
                break
            address = found
        return None if address is None else str(address)

    def _is_trusted(self, address: Address | None) -> bool:
        if address is None:
            return self._trusts_unix
        return any(address in network for network in self._networks)


def effective_address(req: Request) -> str | None:
    """Return the address that was resolved when the request came in."""
    address: str | None = req.context.address
    return address


def peer(req: Request) -> str | None:
    """Return the socket peer's address as the server gives it; None for a Unix socket."""
    client = req.scope.get("client")
    return client[0] if client else None


def _members(lines: Iterable[bytes]) -> list[str]:
    """Return what stands in the last bytes of the joined lines, last one first, and nothing that was cut."""
    joined = b",".join(lines)
    members = joined[-MOST_BYTES - 1 :].split(b",")
    if len(joined) > MOST_BYTES:
        del members[0]
    texts = [member.strip(b" \t").decode("latin-1") for member in reversed(members)]
    return [text for text in texts if text][:MOST_HOPS]


def _parse(member: str) -> Address | None:
    match = _MEMBER.fullmatch(member)
    if match is None:
        return None
    try:
        if match["v4"]:
            return IPv4Address(match["v4"])
        return _unmapped(IPv6Address(match["v6"] or match["bare"]))
    except ValueError:
        return None


def _unmapped(address: Address) -> Address:
    return (isinstance(address, IPv6Address) and address.ipv4_mapped) or address
