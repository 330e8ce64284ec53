"""What the guard has to know about a resource before it is called."""

from typing import ClassVar

from api.calls import Calls

KIB = 1024


class Resource:
    """The base of every resource: a session is needed for every method, and bodies are small."""

    public_methods: ClassVar[frozenset[str]] = frozenset()
    """Methods that need no session."""

    body_methods: ClassVar[frozenset[str]] = frozenset()
    """Methods that need a JSON body; others may carry one, which is checked and ignored."""

    body_limit: ClassVar[int] = 64 * KIB
    """Bytes a body may have."""

    polled: ClassVar[bool] = False
    """Whether reading it leaves the session's idle time running."""


class CallingResource(Resource):
    """The base of those that need nothing but the database's functions."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
