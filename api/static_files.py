"""The web page and its files."""

import hashlib
from pathlib import Path

from falcon.asgi import Request, Response

from api import security_headers
from api.problems import Problem
from api.resource import Resource

FOLDER = Path(__file__).resolve().parent / "static"
INDEX = "index.html"

_PLACEHOLDER = b"/static/HASH/"
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}


class StaticFiles:
    """The page's files, read once. Their address holds the hash of them all, so they are cached for ever."""

    def __init__(self, folder: Path = FOLDER) -> None:
        paths = sorted(path for path in folder.rglob("*") if path.suffix in _TYPES)
        self._contents = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
        digest = hashlib.sha256()
        for name, content in self._contents.items():
            digest.update(f"{name}\0{len(content)}\0".encode() + content)
        self.hash = digest.hexdigest()[:16]
        self.index = self._contents.pop(INDEX).replace(_PLACEHOLDER, f"/static/{self.hash}/".encode())

    def content(self, name: str) -> bytes | None:
        """Return a file's content, or None where there is no such file."""
        return self._contents.get(name)


class Index(Resource):
    """The page itself, the same under each of its addresses."""

    public_methods = frozenset({"GET", "HEAD"})

    def __init__(self, files: StaticFiles) -> None:
        self._files = files

    async def on_get(self, _req: Request, resp: Response, **_params: object) -> None:
        """Answer with the page."""
        resp.content_type = _TYPES[".html"]
        resp.set_header("Content-Security-Policy", security_headers.PAGE)
        resp.data = self._files.index

    on_head = on_get


class StaticFile(Resource):
    """GET /static/{hash}/{name}."""

    public_methods = frozenset({"GET", "HEAD"})

    def __init__(self, files: StaticFiles) -> None:
        self._files = files

    async def on_get(self, _req: Request, resp: Response, digest: str, name: str) -> None:
        """Answer with the file, if the address is of this very set of files."""
        content = self._files.content(name) if digest == self._files.hash else None
        if content is None:
            raise Problem("not-found")
        resp.content_type = _TYPES[Path(name).suffix]
        resp.set_header("Cache-Control", "public, max-age=31536000, immutable")
        resp.data = content

    on_head = on_get
