"""The session's cookie, read strictly."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

ABSOLUTE_SECONDS = 12 * 60 * 60
"""How long a session lasts at most."""

_TOKEN = re.compile(rb"[A-Za-z0-9_-]{43}")
_NOT_IN_NAMES = re.compile(rb"[^!#$%&'*+.^_`|~0-9A-Za-z-]")
_LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})


class SessionCookie:
    """`__Host-session`, or plain `session` where the public origin is http on loopback, which has no TLS."""

    def __init__(self, public_origin: str) -> None:
        origin = urlsplit(public_origin)
        plain = origin.scheme == "http" and origin.hostname in _LOOPBACK_HOSTS
        self.name = "session" if plain else "__Host-session"
        self._attributes = "Path=/; HttpOnly; SameSite=Strict" + ("" if plain else "; Secure")

    def read(self, lines: Iterable[bytes]) -> str | None:
        """Return the token from the Cookie lines of a request, or None.

        A name that differs from the cookie's only by case or by characters no name has (white space of any
        kind, control characters) counts as a second cookie, and two are none: a browser lets other hosts set
        such names, and `__Host-` promises that they cannot.
        """
        expected = self.name.encode()
        found: list[tuple[bytes, bytes]] = []
        for line in lines:
            for number, pair in enumerate(line.split(b";")):
                raw_name, _, value = pair.partition(b"=")
                name = raw_name[1:] if number and raw_name.startswith(b" ") else raw_name
                if _NOT_IN_NAMES.sub(b"", name).lower() == expected.lower():
                    found.append((name, value))
        if len(found) != 1:
            return None
        name, value = found[0]
        return value.decode() if name == expected and _TOKEN.fullmatch(value) else None

    def issue(self, token: str) -> str:
        """Return the Set-Cookie value that hands `token` out."""
        return f"{self.name}={token}; Max-Age={ABSOLUTE_SECONDS}; {self._attributes}"

    def clear(self) -> str:
        """Return the Set-Cookie value that takes the cookie away."""
        return f"{self.name}=; Max-Age=0; {self._attributes}"
