"""What the environment may say, and what is said about what it may not."""

from pathlib import Path

import pytest

from knowledgehub.configuration import SOURCE_TREE, ConfigurationError, TrustedProxies, load

URL = "postgresql://hub_api:s3cret@db.example:5432/knowledgehub"


def test_an_empty_environment_is_a_complete_configuration() -> None:
    configuration = load({})
    assert configuration.owner_url is None
    assert configuration.listen_url is None
    assert configuration.public_origin == "http://127.0.0.1:8000"
    assert configuration.port == 8000
    assert configuration.data_dir == SOURCE_TREE / "var"
    assert configuration.backup_dir is None
    assert configuration.worker_concurrency is None
    assert configuration.demo_password is None


@pytest.mark.parametrize(
    ("variable", "field"),
    [
        ("KNOWLEDGEHUB_OWNER_URL", "owner_url"),
        ("KNOWLEDGEHUB_LISTEN_URL", "listen_url"),
    ],
)
@pytest.mark.parametrize(
    "url",
    [
        URL,
        "postgres://localhost/knowledgehub",
        "postgresql://a:5432,b:5433/knowledgehub?target_session_attrs=read-write",
        "postgresql://hub_api@/knowledgehub?host=%2Ftmp%2Fa%20b&port=5432",
    ],
)
def test_a_database_url_is_taken_as_it_is(variable: str, field: str, url: str) -> None:
    assert getattr(load({variable: url}), field) == url


def test_the_default_origin_follows_the_port() -> None:
    configuration = load({"PORT": "8123"})
    assert (configuration.port, configuration.public_origin) == (8123, "http://127.0.0.1:8123")


@pytest.mark.parametrize(
    ("given", "origin"),
    [
        ("https://hub.example", "https://hub.example"),
        ("https://Hub.Example", "https://hub.example"),
        ("https://hub.example:443", "https://hub.example"),
        ("http://hub.example:80", "http://hub.example"),
        ("http://hub.example:443", "http://hub.example:443"),
        ("http://localhost:8000", "http://localhost:8000"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        ("http://[0:0:0:0:0:0:0:1]:8000", "http://[::1]:8000"),
        ("http://10.0.0.7:08000", "http://10.0.0.7:8000"),
    ],
)
def test_the_origin_is_what_a_browser_sends(given: str, origin: str) -> None:
    assert load({"KNOWLEDGEHUB_PUBLIC_ORIGIN": given}).public_origin == origin


@pytest.mark.parametrize("name", ["DATA_DIR", "KNOWLEDGEHUB_BACKUP_DIR"])
def test_a_folder_that_cannot_be_looked_at_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "exists", refuse)
    with pytest.raises(ConfigurationError, match=f"^{name} is '/closed/data', .* \\(Permission denied\\)"):
        load({name: "/closed/data"})


def test_relative_folders_become_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    configuration = load({"DATA_DIR": "da ta"})
    assert configuration.data_dir == tmp_path / "da ta"
    assert load({"KNOWLEDGEHUB_BACKUP_DIR": "b"}).backup_dir == tmp_path / "b"


@pytest.mark.parametrize(
    ("variable", "value", "should_be"),
    [
        ("KNOWLEDGEHUB_DATABASE_URL", "mysql://db/x", "postgresql://user:password@host:5432/database"),
        ("KNOWLEDGEHUB_DATABASE_URL", "host=db dbname=x", "postgresql://user:password@host:5432/database"),
        ("KNOWLEDGEHUB_WORKER_URL", "postgresql://u:s3cret@[db/x", "percent-encoded"),
        ("KNOWLEDGEHUB_OPERATOR_URL", "postgresql://u:s3cret@db/x?colour=red", "percent-encoded"),
        ("KNOWLEDGEHUB_OWNER_URL", "postgresql://u:s3cret%zz@db/x", "percent-encoded"),
        ("KNOWLEDGEHUB_LISTEN_URL", "", "unset it"),
        ("KNOWLEDGEHUB_PUBLIC_ORIGIN", "hub.example", "http://host[:port]"),
        ("KNOWLEDGEHUB_PUBLIC_ORIGIN", "ftp://hub.example", "http://host[:port]"),
        ("KNOWLEDGEHUB_PUBLIC_ORIGIN", "https://hub.example/", "nothing after it"),
        ("KNOWLEDGEHUB_PUBLIC_ORIGIN", "https://hub.example/hub", "nothing after it"),
        ("KNOWLEDGEHUB_PUBLIC_ORIGIN", "https://hub.example\n", "http://host[:port]"),
        ("KNOWLEDGEHUB_PUBLIC_ORIGIN", "https://user@hub.example", "http://host[:port]"),
        ("KNOWLEDGEHUB_PUBLIC_ORIGIN", "https://hub.example:0", "http://host[:port]"),
        ("KNOWLEDGEHUB_PUBLIC_ORIGIN", "https://hub.example:65536", "http://host[:port]"),
        ("KNOWLEDGEHUB_PUBLIC_ORIGIN", "http://[::zz]", "http://host[:port]"),
        ("KNOWLEDGEHUB_PUBLIC_ORIGIN", "http://[::1", "http://host[:port]"),
        ("KNOWLEDGEHUB_PUBLIC_ORIGIN", "https://bücher.example", "http://host[:port]"),
        ("KNOWLEDGEHUB_TRUSTED_PROXIES", "", "unset it"),
        ("KNOWLEDGEHUB_TRUSTED_PROXIES", "10.0.0.5/8", "its first address"),
        ("KNOWLEDGEHUB_TRUSTED_PROXIES", "fd00::1/8", "its first address"),
        ("KNOWLEDGEHUB_TRUSTED_PROXIES", "10.0.0.0/33", "no network"),
        ("KNOWLEDGEHUB_TRUSTED_PROXIES", "010.0.0.0/8", "no network"),
        ("KNOWLEDGEHUB_TRUSTED_PROXIES", "10.0.0.0/255.0.0.0", "networks between commas"),
        ("KNOWLEDGEHUB_TRUSTED_PROXIES", "0.0.0.0/0", "everybody"),
        ("KNOWLEDGEHUB_TRUSTED_PROXIES", "10.0.0.0/8,::/0", "everybody"),
        ("KNOWLEDGEHUB_TRUSTED_PROXIES", "*", "networks between commas"),
        ("KNOWLEDGEHUB_TRUSTED_PROXIES", "proxy.example", "networks between commas"),
        ("KNOWLEDGEHUB_TRUSTED_PROXIES", "10.0.0.0/8,", "networks between commas"),
        ("KNOWLEDGEHUB_TRUSTED_PROXIES", "10.0.0.0/8 fd00::/8", "networks between commas"),
        ("KNOWLEDGEHUB_TRUSTED_PROXIES", "fe80::1%eth0", "networks between commas"),
        ("KNOWLEDGEHUB_TRUSTED_PROXIES", "::/1", "write IPv4 networks as IPv4"),
        ("KNOWLEDGEHUB_TRUSTED_PROXIES", "::ffff:0:0/96", "write IPv4 networks as IPv4"),
        ("KNOWLEDGEHUB_TRUSTED_PROXIES", "::ffff:10.0.0.0/104", "write IPv4 networks as IPv4"),
        ("KNOWLEDGEHUB_METRICS_TOKEN", "", "unset it"),
        ("KNOWLEDGEHUB_METRICS_TOKEN", "s3cret", "20 to 200 characters"),
        ("KNOWLEDGEHUB_METRICS_TOKEN", "with a blank and much longer", "20 to 200 characters"),
        ("PORT", "", "unset it"),
        ("PORT", "0", "from 1 to 65535"),
        ("PORT", "65536", "from 1 to 65535"),
        ("PORT", "-1", "from 1 to 65535"),
        ("PORT", "80a", "from 1 to 65535"),
        ("PORT", "８０", "from 1 to 65535"),  # noqa: RUF001 (full-width digits, which int() would take)
        ("PORT", " 80", "from 1 to 65535"),
        ("PORT", "8_000", "from 1 to 65535"),
        ("PORT", "9" * 5000, "from 1 to 65535"),
        ("KNOWLEDGEHUB_WORKER_CONCURRENCY", "0", "from 1 to 1000000"),
        ("KNOWLEDGEHUB_WORKER_CONCURRENCY", "1000001", "from 1 to 1000000"),
        ("KNOWLEDGEHUB_WORKER_CONCURRENCY", "two", "from 1 to 1000000"),
        ("KNOWLEDGEHUB_WORKER_CONCURRENCY", "1.5", "from 1 to 1000000"),
        ("DATA_DIR", "", "unset it"),
        ("DATA_DIR", __file__, "folder"),
        ("KNOWLEDGEHUB_BACKUP_DIR", __file__, "folder"),
        ("DEMO_PASSWORD", "", "unset it"),
    ],
)
def test_a_wrong_value_is_named_in_one_line(variable: str, value: str, should_be: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        load({variable: value})
    message = str(raised.value)
    assert message.startswith(variable)
    assert should_be in message
    assert "\n" not in message
    assert "s3cret" not in message


def test_trusted_proxies_are_networks_between_commas() -> None:
    assert load({}).trusted_proxies == TrustedProxies()
    proxies = load({"KNOWLEDGEHUB_TRUSTED_PROXIES": "10.0.0.0/8, fd00::/8,127.0.0.1,unix"}).trusted_proxies
    assert [str(network) for network in proxies.networks] == ["10.0.0.0/8", "fd00::/8", "127.0.0.1/32"]
    assert proxies.unix


def test_passwords_are_not_in_the_representation() -> None:
    configuration = load(
        {
            "KNOWLEDGEHUB_OWNER_URL": URL,
            "DEMO_PASSWORD": "another s3cret",
            "KNOWLEDGEHUB_METRICS_TOKEN": "a-s3cret-of-twenty-characters",
        }
    )
    assert "s3cret" not in repr(configuration)
