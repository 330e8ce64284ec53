"""Debian's Chromium, without a screen: the installed one, or the one `make test` unpacks."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

_UNPACKED = Path(sys.prefix) / "chromium"
_FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{folder}/usr/share/fonts</dir><cachedir>{folder}/fonts-cache</cachedir></fontconfig>
"""
_ARGUMENTS = [
    "--no-sandbox",  # tests run as root
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--no-first-run",
]


def _program() -> tuple[str, dict[str, str]]:
    """Return the program and what its environment needs besides."""
    installed = shutil.which("chromium")
    if installed is not None:
        return installed, {}
    program = _UNPACKED / "usr/lib/chromium/chromium"
    if not program.exists():
        raise RuntimeError(f"there is no Chromium, neither installed nor in {_UNPACKED}: run `make test`")
    fonts = _UNPACKED / "fonts.conf"
    fonts.write_text(_FONTS.format(folder=_UNPACKED), encoding="utf-8")
    libraries = ":".join(map(str, _UNPACKED.glob("**/lib/*-linux-gnu")))
    return str(program), {"LD_LIBRARY_PATH": libraries, "FONTCONFIG_FILE": str(fonts)}


@contextmanager
def running_chromium() -> Iterator[Browser]:
    """Run a browser for the block's length. Until then this thread runs Playwright's event loop."""
    program, environment = _program()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=_ARGUMENTS, env={**os.environ, **environment}
        )
        try:
            yield browser
        finally:
            browser.close()
