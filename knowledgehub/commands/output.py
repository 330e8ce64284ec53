"""What commands print: text for people, or JSON with ``--json``."""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """Give a command the option ``--json``, as its argument ``as_json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def show(as_json: bool, body: object, text: str) -> None:
    """Print ``body`` as JSON, or ``text``."""
    click.echo(json.dumps(body) if as_json else printable(text))


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Lay rows out in columns; columns of numbers stand to the right."""
    lines = [list(heads), *([one_line(str(cell)) for cell in row] for row in rows)]
    columns = list(zip(*lines, strict=True))
    widths = [max(map(len, column)) for column in columns]
    numbers = [bool(rows) and isinstance(rows[0][place], int) for place in range(len(heads))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if is_number else cell.ljust(width)
            for cell, width, is_number in zip(line, widths, numbers, strict=True)
        ).rstrip()
        for line in lines
    )


def printable(text: str) -> str:
    """Escape what could command the terminal; titles come from anywhere."""
    return "".join(
        character if character.isprintable() or character == "\n" else ascii(character)[1:-1]
        for character in text
    )


def one_line(text: str) -> str:
    """Escape line breaks too."""
    return printable(text).replace("\n", "\\n")
