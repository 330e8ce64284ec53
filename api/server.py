"""The API process: gunicorn with one worker, which serves the application."""

import asyncio
import os
import socket
from typing import Any

import falcon.asgi
from falcon.asgi import Request, Response
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]
from gunicorn.glogging import Logger  # type: ignore[import-untyped]
from psycopg_pool import AsyncConnectionPool
from setproctitle import setproctitle

from api.address import AddressResolver
from api.app import Dependencies, create_app
from api.calls import Calls
from api.feed import Feed
from api.passwords import Passwords
from api.static_files import StaticFiles
from knowledgehub.configuration import Configuration
from knowledgehub.database import connection_arguments

TITLE = "knowledgehub api"
POOL_SIZE = 8
POOL_SECONDS = 3
"""How long a request waits for a connection."""

RECONNECT_SECONDS = 3
"""How long the pool goes on trying to replace a lost connection by itself."""

STOPPING_SECONDS = 3
"""After this gunicorn kills a worker that was told to stop."""

FINISHING_SECONDS = 1
"""How long a stopping worker waits for connections that stay open; it takes up to 1.5 s to get there."""

STALLED_SECONDS = 30
"""After this the system drops a client that takes nothing of what is under way to it: one that stopped
reading holds a place and a buffer no longer, and neither does one that went without a word."""

_WATCH_SECONDS = 0.05


def serve(url: str, configuration: Configuration) -> None:
    """Serve what is in the database at `url` until TERM; then streams end with `bye` and the process in 3 s.

    It listens on 127.0.0.1 only. Never returns: raises SystemExit.
    """
    Server(url, configuration).run()


class Server(BaseApplication):  # type: ignore[misc]
    """gunicorn, configured here alone: no file, argument or variable of its own is read."""

    def __init__(self, url: str, configuration: Configuration) -> None:
        self._url = url
        self._configuration = configuration
        self.feed: Feed | None = None
        super().__init__()

    def load_config(self) -> None:
        """Set what differs from gunicorn's defaults."""
        for name, value in {
            "bind": f"127.0.0.1:{self._configuration.port}",
            "workers": 1,
            "worker_class": "asgi",
            "asgi_lifespan": "on",
            "graceful_timeout": STOPPING_SECONDS,
            "keepalive": 20,
            "forwarded_allow_ips": "",
            "control_socket_disable": True,
            "logger_class": _Logger,
            "pre_fork": _name_master,
            "post_worker_init": _prepare_worker,
        }.items():
            self.cfg.set(name, value)

    def load(self) -> falcon.asgi.App[Request, Response]:
        """Make the application, in the worker's process."""
        pool = AsyncConnectionPool(
            self._url,
            kwargs=connection_arguments("knowledgehub api"),
            min_size=1,
            max_size=POOL_SIZE,
            timeout=POOL_SECONDS,
            # Tried anew by the next request after this long: the pauses in between grow with the outage.
            reconnect_timeout=RECONNECT_SECONDS,
            # Connections that died while idle are replaced before a request meets them.
            check=AsyncConnectionPool.check_connection,
            open=False,
        )
        calls = Calls(pool)
        listen_url = self._configuration.listen_url or self._url
        self.feed = Feed(calls, listen_url, connection_arguments("knowledgehub api listener"))
        return create_app(
            Dependencies(
                public_origin=self._configuration.public_origin,
                resolver=AddressResolver(self._configuration.trusted_proxies),
                pool=pool,
                calls=calls,
                feed=self.feed,
                passwords=Passwords(),
                files=StaticFiles(),
                backup_dir=self._configuration.backup_dir,
                metrics_token=self._configuration.metrics_token,
            )
        )


class _Logger(Logger):  # type: ignore[misc]
    """Leaves gunicorn's own events to this process's handlers."""

    def setup(self, cfg: object) -> None:
        super().setup(cfg)
        self.error_log.handlers.clear()
        self.error_log.propagate = True


def _name_master(_arbiter: object, _worker: object) -> None:
    # Here, because gunicorn names the process itself after every earlier hook.
    setproctitle(TITLE)


def _prepare_worker(worker: Any) -> None:  # noqa: ANN401 (gunicorn is untyped)
    setproctitle(TITLE)
    for listener in worker.sockets:
        listener.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALLED_SECONDS * 1000)
    worker.cfg.set("graceful_timeout", FINISHING_SECONDS)
    worker.app.stop_watch = worker.loop.create_task(_watch_for_stop(worker))


async def _watch_for_stop(worker: Any) -> None:  # noqa: ANN401 (likewise)
    """End the streams as soon as the worker is to stop: it waits for them before it tells the application."""
    while worker.alive and worker.ppid == os.getppid():  # noqa: ASYNC110 (gunicorn has no event for it)
        await asyncio.sleep(_WATCH_SECONDS)
    worker.app.feed.end_streams()
