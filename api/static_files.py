"""The web page and its files."""

import gzip
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from falcon.asgi import Request, Response

from api import etags, security_headers
from api.headers import lines
from api.problems import Problem
from api.resource import Resource

FOLDER = Path(__file__).resolve().parent / "static"
INDEX = "index.html"

_PLACEHOLDER = b"/static/HASH/"
_HEAD_END = b"</head>"
# Whole lines of comments in a script. They are for who reads the source: a sixth of the page's weight.
_COMMENT = re.compile(rb"^[ \t]*(?://|/?\*).*$", re.MULTILINE)
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
# With any weight but zero (RFC 9110, section 12.5.3).
_GZIP = re.compile(rb"(?:x-)?gzip(?:[ \t]*;[ \t]*q=(?!0(?:\.0*)?$)[0-9.]+)?")


@dataclass(frozen=True, slots=True)
class File:
    """A file of the page, ready to be sent either way."""

    plain: bytes
    compressed: bytes

    @classmethod
    def of(cls, content: bytes) -> "File":
        """Compress it, once and for all."""
        return cls(content, gzip.compress(content, mtime=0))


class StaticFiles:
    """The page's files, read once. Their address holds the hash of them all, so they are cached for ever."""

    def __init__(self, folder: Path = FOLDER) -> None:
        paths = sorted(path for path in folder.rglob("*") if path.suffix in _TYPES)
        contents = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
        digest = hashlib.sha256()
        for name, content in contents.items():
            digest.update(f"{name}\0{len(content)}\0".encode() + content)
        self.hash = digest.hexdigest()[:16]
        self.index = File.of(self._index(contents.pop(INDEX), sorted(contents)))
        self._files = {
            name: File.of(_COMMENT.sub(b"", content) if name.endswith(".js") else content)
            for name, content in contents.items()
        }

    def file(self, name: str) -> File | None:
        """Return a file, or None where there is no such file."""
        return self._files.get(name)

    def _index(self, content: bytes, names: list[str]) -> bytes:
        """Name every module in the page's head, so that none waits for the one that imports it."""
        modules = "".join(
            f'  <link rel="modulepreload" href="/static/HASH/{name}">\n'
            for name in names
            if name.endswith(".js")
        )
        content = content.replace(_HEAD_END, modules.encode() + _HEAD_END)
        return content.replace(_PLACEHOLDER, f"/static/{self.hash}/".encode())


class Index(Resource):
    """The page itself, the same under each of its addresses."""

    public_methods = frozenset({"GET", "HEAD"})

    def __init__(self, files: StaticFiles) -> None:
        self._files = files

    async def on_get(self, req: Request, resp: Response, **_params: object) -> None:
        """Answer with the page."""
        resp.content_type = _TYPES[".html"]
        resp.set_header("Content-Security-Policy", security_headers.PAGE)
        _send(self._files.index, req, resp)

    on_head = on_get


class StaticFile(Resource):
    """GET /static/{hash}/{name}."""

    public_methods = frozenset({"GET", "HEAD"})

    def __init__(self, files: StaticFiles) -> None:
        self._files = files

    async def on_get(self, req: Request, resp: Response, digest: str, name: str) -> None:
        """Answer with the file, if the address is of this very set of files."""
        file = self._files.file(name) if digest == self._files.hash else None
        if file is None:
            raise Problem("not-found")
        resp.content_type = _TYPES[Path(name).suffix]
        resp.set_header("Cache-Control", "public, max-age=31536000, immutable")
        _send(file, req, resp)
        # Weak, for it names the file in either coding.
        etag = etags.strong(digest)
        resp.set_header("ETag", f"W/{etag}")
        if etags.none_match(req, etag):
            resp.status = 304

    on_head = on_get


def _send(file: File, req: Request, resp: Response) -> None:
    resp.set_header("Vary", "Accept-Encoding")
    if _takes_gzip(req):
        resp.set_header("Content-Encoding", "gzip")
        resp.data = file.compressed
    else:
        resp.data = file.plain


def _takes_gzip(req: Request) -> bool:
    field = b",".join(lines(req, b"accept-encoding")).lower()
    return any(_GZIP.fullmatch(coding.strip(b" \t")) for coding in field.split(b","))
