"""The configuration of every process, read once from the environment."""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

SOURCE_TREE = Path(__file__).resolve().parent.parent

URL_VARIABLES = (
    "KNOWLEDGEHUB_DATABASE_URL",
    "KNOWLEDGEHUB_WORKER_URL",
    "KNOWLEDGEHUB_OPERATOR_URL",
    "KNOWLEDGEHUB_OWNER_URL",
    "KNOWLEDGEHUB_LISTEN_URL",
)

_ORIGIN = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?::(?P<port>[0-9]{1,5}))?"
)
_DEFAULT_PORTS = {"http": 80, "https": 443}
_MAXIMUM_PORT = 65_535
_TOKEN = re.compile(r"[A-Za-z0-9._~-]{20,200}")
_NETWORK = re.compile(r"[0-9A-Fa-f:.]+(?:/[0-9]{1,3})?")
_IPV4_MAPPED = ipaddress.IPv6Network("::ffff:0:0/96")
UNIX_PEER = "unix"
"""Among the trusted proxies: whoever connects through a Unix socket."""


class ConfigurationError(Exception):
    """A wrong value in the environment; the message is one line: the variable, and what it should be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustedProxies:
    """Whose X-Forwarded-For is believed."""

    networks: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...] = ()
    unix: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """What the environment says, but for the URL of the process's own database: that may be the embedded one.

    Values that hold passwords are left out of repr().
    """

    owner_url: str | None = field(default=None, repr=False)
    listen_url: str | None = field(default=None, repr=False)
    public_origin: str
    trusted_proxies: TrustedProxies = TrustedProxies()
    data_dir: Path
    port: int
    backup_dir: Path | None = None
    worker_concurrency: int | None = None
    demo_password: str | None = field(default=None, repr=False)
    metrics_token: str | None = field(default=None, repr=False)


def load(environ: Mapping[str, str]) -> Configuration:
    """Read the configuration from ``environ``; paths come out absolute, the origin as browsers send it.

    Raises :class:`ConfigurationError` for the first wrong value.
    """
    for name in (*URL_VARIABLES, "KNOWLEDGEHUB_PUBLIC_ORIGIN", "KNOWLEDGEHUB_TRUSTED_PROXIES",
                 "KNOWLEDGEHUB_BACKUP_DIR", "PORT", "DATA_DIR", "KNOWLEDGEHUB_WORKER_CONCURRENCY",
                 "KNOWLEDGEHUB_METRICS_TOKEN", "DEMO_PASSWORD"):  # fmt: skip
        if environ.get(name) == "":
            raise ConfigurationError(f"{name} is empty: give it a value or unset it")

    urls = {name: _database_url(environ, name) for name in URL_VARIABLES}
    port = _whole_number(environ, "PORT", maximum=_MAXIMUM_PORT) or 8000
    data_dir = _folder(environ, "DATA_DIR") or SOURCE_TREE / "var"
    return Configuration(
        owner_url=urls["KNOWLEDGEHUB_OWNER_URL"],
        listen_url=urls["KNOWLEDGEHUB_LISTEN_URL"],
        public_origin=_origin(environ, "KNOWLEDGEHUB_PUBLIC_ORIGIN") or f"http://127.0.0.1:{port}",
        trusted_proxies=_trusted_proxies(environ, "KNOWLEDGEHUB_TRUSTED_PROXIES"),
        data_dir=data_dir,
        port=port,
        backup_dir=_folder(environ, "KNOWLEDGEHUB_BACKUP_DIR"),
        worker_concurrency=_whole_number(environ, "KNOWLEDGEHUB_WORKER_CONCURRENCY", maximum=1_000_000),
        demo_password=environ.get("DEMO_PASSWORD"),
        metrics_token=_token(environ, "KNOWLEDGEHUB_METRICS_TOKEN"),
    )


def _database_url(environ: Mapping[str, str], name: str) -> str | None:
    url = environ.get(name)
    if url is None:
        return None
    shape = "it should look like postgresql://user:password@host:5432/database"
    if not url.startswith(("postgresql://", "postgres://")):
        raise ConfigurationError(f"{name} is no PostgreSQL URL: {shape}")
    try:
        conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # Without libpq's own words: they may quote the password.
        raise ConfigurationError(f"{name} is malformed: {shape}, percent-encoded") from None
    return url


def _trusted_proxies(environ: Mapping[str, str], name: str) -> TrustedProxies:
    """Networks between commas; refused is what lets strangers choose their address, or can never match."""
    members = [member.strip() for member in environ[name].split(",")] if name in environ else []
    networks = tuple(_network(name, member) for member in members if member != UNIX_PEER)
    return TrustedProxies(networks=networks, unix=UNIX_PEER in members)


def _network(name: str, text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    if not _NETWORK.fullmatch(text):
        raise ConfigurationError(
            f"{name} has {text!r}: it should be networks between commas, such as 10.0.0.0/8,fd00::/8,"
            f" or {UNIX_PEER} for the peers of a Unix socket"
        )
    try:
        network = ipaddress.ip_network(text)
    except ValueError:
        raise ConfigurationError(
            f"{name} has {text!r}, which is no network: write its first address, as in 10.0.0.0/8"
        ) from None
    if network.prefixlen == 0:
        raise ConfigurationError(f"{name} has {text!r}, which is everybody: name your proxies' networks")
    if isinstance(network, ipaddress.IPv6Network) and network.overlaps(_IPV4_MAPPED):
        raise ConfigurationError(
            f"{name} has {text!r}, which covers IPv4 in IPv6 form: write IPv4 networks as IPv4"
        )
    return network


def _token(environ: Mapping[str, str], name: str) -> str | None:
    token = environ.get(name)
    if token is not None and not _TOKEN.fullmatch(token):
        raise ConfigurationError(
            f"{name} should be 20 to 200 characters A-Z a-z 0-9 . _ ~ - that nobody guesses"
        )
    return token


def _whole_number(environ: Mapping[str, str], name: str, *, maximum: int) -> int | None:
    text = environ.get(name)
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,9}", text) or not 1 <= int(text) <= maximum:
        raise ConfigurationError(f"{name} is {text!r}: it should be a whole number from 1 to {maximum}")
    return int(text)


def _folder(environ: Mapping[str, str], name: str) -> Path | None:
    text = environ.get(name)
    if text is None:
        return None
    path = Path(text).absolute()
    try:
        is_other = path.exists() and not path.is_dir()
    except OSError as error:
        raise ConfigurationError(
            f"{name} is {text!r}, which cannot be read ({error.strerror}): it should be a folder of yours"
        ) from None
    if is_other:
        raise ConfigurationError(
            f"{name} is {text!r}, which is no folder: it should be one, or not be there yet"
        )
    return path


def _origin(environ: Mapping[str, str], name: str) -> str | None:
    """As a browser writes it in the Origin header: lower case, no default port, no path."""
    text = environ.get(name)
    if text is None:
        return None
    wrong = ConfigurationError(
        f"{name} is {text!r}: it should be http://host[:port] or https://host[:port], and nothing after it"
    )
    match = _ORIGIN.fullmatch(text.lower())
    if match is None:
        raise wrong
    scheme, host, port = match["scheme"], match["host"], match["port"]
    if host.startswith("["):
        try:
            host = f"[{ipaddress.IPv6Address(host[1:-1]).compressed}]"
        except ValueError:
            raise wrong from None
    if port is None:
        return f"{scheme}://{host}"
    if not 1 <= int(port) <= _MAXIMUM_PORT:
        raise wrong
    return f"{scheme}://{host}" if int(port) == _DEFAULT_PORTS[scheme] else f"{scheme}://{host}:{int(port)}"
