"""``course``."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import click

from knowledgehub import course_import
from knowledgehub.commands.output import json_option, one_line, show
from knowledgehub.commands.refusal import Refusal, refusal
from knowledgehub.commands.session import operator
from knowledgehub.course_import import CourseRefusedError

_PROGRESS_SECONDS = 0.2


@click.group()
def course() -> None:
    """Courses: ordered collections of pages."""


@course.command("import")
@click.argument("workspace", type=click.UUID)
@click.argument("title")
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
@json_option
@click.pass_context
def import_course(
    context: click.Context, workspace: UUID, title: str, directory: Path, as_json: bool
) -> None:
    """Make a course of every *.md file below DIRECTORY, in the order of their paths.

    YAML front matter gives a page's title and tags. Files that cannot be taken are named, the others are
    imported, and the status is 1.
    """
    with operator() as calls, _progress() as progress:
        try:
            result = course_import.import_course(calls, workspace, title, directory, progress)
        except CourseRefusedError as error:
            no_workspace = f"there is no workspace {workspace}: see `knowledgehub workspace list`"
            raise refusal(error.answer, not_found=no_workspace) from error
        except OSError as error:
            raise Refusal(f"{directory} cannot be read: {error.strerror}") from error
    for file in result.refusals:
        click.echo(f"knowledgehub: refused {one_line(file.file)}: {file.reason}", err=True)
    body = {
        "id": str(result.course_id),
        "pages": result.pages,
        "refused": [{"file": file.file, "reason": file.reason} for file in result.refusals],
    }
    refused = f", {len(result.refusals)} refused" if result.refusals else ""
    show(as_json, body, f"added course {result.course_id}: {result.pages} pages{refused}")
    context.exit(1 if result.refusals else 0)


@contextmanager
def _progress() -> Iterator[Callable[[int], None]]:
    """Show on a terminal, a few times a second, how many files have been read."""
    terminal = sys.stderr.isatty()
    shown = time.monotonic()

    def show_progress(number: int) -> None:
        nonlocal shown
        if terminal and time.monotonic() - shown >= _PROGRESS_SECONDS:
            shown = time.monotonic()
            click.echo(f"\r{number} files read", nl=False, err=True)

    try:
        yield show_progress
    finally:
        if terminal:
            click.echo("\r\x1b[K", nl=False, err=True)
