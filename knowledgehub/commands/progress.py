"""How far long work has come, on stderr: on a terminal a few times a second, elsewhere a line at times."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

_TERMINAL_SECONDS = 0.2
_LINE_SECONDS = 5.0


def say(text: str) -> None:
    """Print a line beside a command's result."""
    click.echo(f"knowledgehub: {text}", err=True)


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Give a function that shows where the work of the block is, if it is time to; nothing stays shown."""
    terminal = sys.stderr.isatty()
    interval = _TERMINAL_SECONDS if terminal else _LINE_SECONDS
    shown = time.monotonic()

    def show(text: str) -> None:
        nonlocal shown
        if time.monotonic() - shown < interval:
            return
        shown = time.monotonic()
        if terminal:
            click.echo(f"\r\x1b[K{text}", nl=False, err=True)
        else:
            say(text)

    try:
        yield show
    finally:
        if terminal:
            click.echo("\r\x1b[K", nl=False, err=True)
