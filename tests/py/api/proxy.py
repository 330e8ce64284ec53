"""A TCP proxy in front of a server that can go silent without closing anything."""

import selectors
import socket
import threading

_PIECE = 65_536


class Proxy:
    """Forwards connections to a port of this machine until it is frozen or closed."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._peers: dict[socket.socket, socket.socket] = {}
        self._frozen: list[socket.socket] = []
        self._lock = threading.Lock()
        self._closing = False
        self.accepted = 0
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        port: int = self._listener.getsockname()[1]
        return port

    def freeze(self, *, also_new: bool) -> None:
        """Forward nothing more on the connections there are, in either direction, and close none of them.

        ``also_new``: let new connections come to nothing as well, until `thaw_new`.
        """
        with self._lock:
            for side in self._peers:
                self._selector.unregister(side)
            self._frozen += self._peers
            self._peers.clear()
            if also_new:
                self._selector.unregister(self._listener)

    def thaw_new(self) -> None:
        """Take new connections again."""
        with self._lock:
            self._selector.register(self._listener, selectors.EVENT_READ)

    def cut(self) -> None:
        """Close the connections there are; new ones are forwarded."""
        with self._lock:
            for side in self._peers:
                self._selector.unregister(side)
                side.close()
            self._peers.clear()

    def close(self) -> None:
        """Close everything."""
        self._closing = True
        self._thread.join()
        for one in (self._listener, *self._peers, *self._frozen):
            one.close()
        self._selector.close()

    def _run(self) -> None:
        while not self._closing:
            with self._lock:
                for key, _ in self._selector.select(0):
                    self._handle(key.fileobj)  # type: ignore[arg-type]
            threading.Event().wait(0.002)

    def _handle(self, ready: socket.socket) -> None:
        if ready is self._listener:
            self.accepted += 1
            client, _ = ready.accept()
            server = socket.create_connection(("127.0.0.1", self._target))
            for one, other in ((client, server), (server, client)):
                self._peers[one] = other
                self._selector.register(one, selectors.EVENT_READ)
            return
        if ready not in self._peers:
            return
        other = self._peers[ready]
        try:
            data = ready.recv(_PIECE)
            other.sendall(data)
        except OSError:
            data = b""
        if not data:
            for one in (ready, other):
                self._selector.unregister(one)
                del self._peers[one]
                one.close()
