"""The event stream of one job."""

import asyncio
import logging
import random
from collections.abc import AsyncIterator
from uuid import UUID

from falcon.asgi import Request, Response

from api.calls import Calls
from api.feed import BYE, HEARTBEAT, Event, Feed, Place
from api.outcomes import refusal
from api.problems import Problem
from api.resource import Resource

STREAMS_A_SESSION = 10
HEARTBEAT_SECONDS = 10
AGE_SECONDS = (540, 660)
"""Between these a stream is ended; drawn anew for each, so that many do not come back at once."""

logger = logging.getLogger(__name__)


class JobEvents(Resource):
    """GET /api/workspaces/{workspace}/jobs/{job}/events."""

    polled = True

    def __init__(self, calls: Calls, feed: Feed) -> None:
        self._calls = calls
        self._feed = feed

    async def on_get(self, req: Request, resp: Response, workspace: UUID, job: UUID) -> None:
        """Stream the job's snapshots until it has ended."""
        session: bytes = req.context.session
        answer = await self._calls.read_job(session, workspace, job)
        if answer.outcome != "ok":
            raise refusal(answer)
        place = self._feed.take_place(session, STREAMS_A_SESSION)
        if place is None:
            raise Problem("stream-limit")
        resp.content_type = "text/event-stream"
        resp.set_header("X-Accel-Buffering", "no")
        resp.sse = events(self._feed, place, job)


async def events(feed: Feed, place: Place, job: UUID) -> AsyncIterator[Event]:
    """Yield what one stream sends, until the job has ended, the right is lost or the server wants it to end.

    It subscribes here, for a generator that never started would never clean up: some time after the request
    was accepted, when an unread body has been taken in. The place is held meanwhile.
    """
    clock = asyncio.get_running_loop().time
    end = clock() + random.uniform(*AGE_SECONDS)  # noqa: S311 (no secret)
    event: Event | None = None
    try:
        with feed.subscribed(place, job) as subscription:
            while event is None or not event.final:
                left = end - clock()
                event = await subscription.next(min(HEARTBEAT_SECONDS, left)) if left > 0 else BYE
                yield event or HEARTBEAT
    finally:
        logger.info("stream ended", extra={"by": event.name if event and event.final else "client"})
