"""Request headers as they were sent, each line by itself."""

from falcon.asgi import Request


def lines(req: Request, name: bytes) -> list[bytes]:
    """Return the values of all lines of a header (lower-case name), unparsed."""
    return [value for key, value in req.scope["headers"] if key == name]
