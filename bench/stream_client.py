"""Opens many event streams and says when which version arrived: ``python -m bench.stream_client``.

It reads one line of JSON, ``{"port", "paths": [[path, token], …]}``, opens a stream for each, says ``ready``
when all have their first event, and after another line of input ends and writes what arrived when.
"""

import asyncio
import json
import re
import sys
import time

_EVENT = re.compile(rb"\nid: (\d+)\ndata: [^\n]*\n\n")
OPENING_AT_ONCE = 20


class Stream(asyncio.Protocol):
    """One stream; ``arrivals`` holds (version, seconds since the epoch)."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self._buffer = b""
        self.begun = asyncio.get_running_loop().create_future()
        self.arrivals: list[tuple[int, float]] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the request."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 (TCP)
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        """Note the versions that are complete."""
        now = time.time()
        self._buffer += data
        end = 0
        for event in _EVENT.finditer(self._buffer):
            self.arrivals.append((int(event[1]), now))
            end = event.end()
        self._buffer = self._buffer[end:]
        if self.arrivals and not self.begun.done():
            self.begun.set_result(None)

    def connection_lost(self, error: Exception | None) -> None:
        """Fail if the stream ended before it began."""
        if not self.begun.done():
            self.begun.set_exception(error or ConnectionError(self._buffer[:200].decode("latin-1")))


async def main() -> None:
    """Do what this module says."""
    loop = asyncio.get_running_loop()
    order = json.loads(sys.stdin.readline())
    streams: list[Stream] = []
    opening = asyncio.Semaphore(OPENING_AT_ONCE)

    async def open_stream(path: str, token: str) -> None:
        request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: session={token}\r\n\r\n".encode()
        async with opening:
            _, stream = await loop.create_connection(lambda: Stream(request), "127.0.0.1", order["port"])
            streams.append(stream)
            await asyncio.wait_for(stream.begun, 60)

    await asyncio.gather(*(open_stream(*one) for one in order["paths"]))
    print("ready", flush=True)
    await loop.run_in_executor(None, sys.stdin.readline)
    print(json.dumps([stream.arrivals for stream in streams]), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
