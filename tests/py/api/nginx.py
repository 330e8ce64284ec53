"""Debian's nginx, with the reference configuration, in front of an API process."""

import os
import re
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from knowledgehub.configuration import SOURCE_TREE
from tests.py.api.conftest import Place, StartApi, make_place
from tests.py.api.hub import Hub, csrf_token
from tests.py.api.process import free_port

_DEBIAN = Path(sys.prefix) / "debian"
_REFERENCE = SOURCE_TREE / "docs/nginx.conf"
_START_SECONDS = 20


@dataclass(frozen=True)
class Nginx:
    """A running nginx; it serves TLS with a certificate of its own."""

    port: int
    certificate: Path

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"https://127.0.0.1:{self.port}"


@dataclass(frozen=True)
class Behind:
    """A workspace at an API behind nginx."""

    place: Place
    nginx: Nginx

    def client(self, local_address: str = "127.0.0.1") -> httpx.Client:
        """Return the administrator's client that comes through nginx, from an address of this machine."""
        token = self.place.client.token
        assert token
        transport = httpx.HTTPTransport(verify=trusting(self.nginx.certificate), local_address=local_address)
        headers = {
            "Cookie": f"__Host-session={token}",
            "X-CSRF-Token": csrf_token(token),
            "Origin": self.nginx.address,
        }
        return httpx.Client(base_url=self.nginx.address, headers=headers, transport=transport, timeout=30)


@contextmanager
def behind_nginx(hub: Hub, start_api: StartApi, folder: Path) -> Iterator[Behind]:
    """Run nginx before an API that trusts it, as the reference says."""
    port = free_port()
    origin = f"https://127.0.0.1:{port}"
    api = start_api(KNOWLEDGEHUB_PUBLIC_ORIGIN=origin, KNOWLEDGEHUB_TRUSTED_PROXIES="127.0.0.1")
    (folder / "nginx").mkdir()
    with running_nginx(folder / "nginx", port, api.port) as nginx:
        yield Behind(make_place(hub, api), nginx)


@contextmanager
def running_nginx(folder: Path, port: int, backend: int) -> Iterator[Nginx]:
    """Run it on ``port``, before the API on ``backend``, with the reference but for names and addresses."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    command += ["-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(
        [*command, "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
        env=_environment(),
    )
    text = _REFERENCE.read_text()
    for pattern, replacement in [
        (r"listen 80;", f"listen 127.0.0.1:{free_port()};"),
        (r"listen 443 ssl http2;", f"listen 127.0.0.1:{port} ssl http2;"),
        (r" *listen \[::\].*\n", ""),
        (r"server 127\.0\.0\.1:8000;", f"server 127.0.0.1:{backend};"),
        (r"/etc/ssl/hub\.example\.org\.pem", str(certificate)),
        (r"/etc/ssl/private/hub\.example\.org\.key", str(key)),
        (r"hub\.example\.org", "127.0.0.1"),
    ]:
        text, count = re.subn(pattern, replacement, text)
        assert count, pattern
    (folder / "temporary").mkdir()
    places = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"{place}_temp_path {folder}/temporary/{place};\n" for place in places)
    user = "user root;\n" if os.geteuid() == 0 else ""
    configuration = folder / "nginx.conf"
    configuration.write_text(
        f"{user}daemon off;\nworker_processes 1;\npid {folder}/nginx.pid;\nerror_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{temporary}{text}}}\n"
    )
    command = [str(_DEBIAN / "usr/sbin/nginx"), "-p", str(folder), "-c", str(configuration)]
    with subprocess.Popen([*command, "-e", str(folder / "error.log")], env=_environment()) as process:
        try:
            _wait(process, folder, port, certificate)
            yield Nginx(port, certificate)
        finally:
            process.terminate()
            process.wait(10)


def _environment() -> dict[str, str]:
    libraries = ":".join(map(str, _DEBIAN.glob("**/lib/*-linux-gnu")))
    path = f"{os.environ['PATH']}:{_DEBIAN / 'usr/bin'}"
    return os.environ | {"LD_LIBRARY_PATH": libraries, "PATH": path}


def _wait(process: subprocess.Popen[bytes], folder: Path, port: int, certificate: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        assert process.poll() is None, (folder / "error.log").read_text()
        try:
            if httpx.get(f"https://127.0.0.1:{port}/healthz", verify=trusting(certificate)).is_success:
                return
        except httpx.TransportError:
            pass
        assert time.monotonic() < deadline, (folder / "error.log").read_text()
        time.sleep(0.05)


def trusting(certificate: Path) -> ssl.SSLContext:
    """Return what verifies the server by its own certificate."""
    return ssl.create_default_context(cafile=str(certificate))
