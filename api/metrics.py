"""GET /metrics, for Prometheus, behind a token of its own."""

import hmac

from falcon.asgi import Request, Response

from api.feed import Feed
from api.headers import lines
from api.problems import Problem
from api.resource import Resource


class Metrics(Resource):
    """Figures of this process. Without a configured token there is no such address."""

    public_methods = frozenset({"GET", "HEAD"})

    def __init__(self, token: str | None, feed: Feed) -> None:
        self._expected = None if token is None else f"Bearer {token}".encode()
        self._feed = feed

    async def on_get(self, req: Request, resp: Response) -> None:
        """Answer whoever has the token; to everybody else nothing is here."""
        sent = lines(req, b"authorization")
        if self._expected is None or len(sent) != 1 or not hmac.compare_digest(sent[0], self._expected):
            raise Problem("not-found")
        resp.content_type = "text/plain; version=0.0.4; charset=utf-8"
        resp.text = (
            "# HELP knowledgehub_streams Event streams that are open.\n"
            "# TYPE knowledgehub_streams gauge\n"
            f"knowledgehub_streams {self._feed.open_streams}\n"
            "# HELP knowledgehub_listening Whether notifications of the database arrive.\n"
            "# TYPE knowledgehub_listening gauge\n"
            f"knowledgehub_listening {int(self._feed.listening)}\n"
        )

    on_head = on_get
