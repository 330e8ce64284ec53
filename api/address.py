"""The effective remote address."""

from ipaddress import IPv6Address, ip_address

from falcon.asgi import Request

UNKNOWN = "unknown"


def effective_address(req: Request) -> str | None:
    """Return the socket peer's address, canonical and without zone; None for a Unix socket, which has none.

    An IPv4-mapped IPv6 address comes out as the IPv4 address it is.
    """
    client = req.scope.get("client")
    if not client:
        return None
    address = ip_address(client[0].partition("%")[0])
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return str(address)
