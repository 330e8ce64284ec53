"""``course``."""

from dataclasses import asdict
from pathlib import Path
from uuid import UUID

import click

from knowledgehub import course_import
from knowledgehub.commands.output import json_option, one_line, show
from knowledgehub.commands.progress import progress, say
from knowledgehub.commands.refusal import Refusal, refusal
from knowledgehub.commands.session import WorkspaceParameter, operator
from knowledgehub.course_import import CourseRefusedError, EmptyFolderError


@click.group()
def course() -> None:
    """Courses: ordered collections of pages."""


@course.command("import")
@click.argument("workspace", type=WorkspaceParameter())
@click.argument("title")
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
@json_option
@click.pass_context
def import_course(
    context: click.Context, workspace: UUID, title: str, directory: Path, as_json: bool
) -> None:
    """Make a course of every *.md file below DIRECTORY, in the order of their paths.

    YAML front matter gives a page's title and tags. Files and folders whose names begin with a dot are
    skipped. Files that cannot be taken are named, the others are imported, and the status is 1.
    """
    with operator() as calls, progress() as show_progress:
        try:
            result = course_import.import_course(
                calls, workspace, title, directory, lambda number: show_progress(f"{number} files read")
            )
        except CourseRefusedError as error:
            no_workspace = f"there is no workspace {workspace}: see `knowledgehub workspace list`"
            raise refusal(error.answer, not_found=no_workspace) from error
        except EmptyFolderError as error:
            raise Refusal(f"no Markdown file in {directory}") from error
        except OSError as error:
            raise Refusal(f"{directory} cannot be read: {error.strerror}") from error
    for refused_file in result.refusals:
        say(f"refused {one_line(refused_file.file)}: {refused_file.reason}")
    for note in result.notes:
        say(f"note on {one_line(note.file)}: {note.reason}")
    body = {
        "id": None if result.course_id is None else str(result.course_id),
        "pages": result.pages,
        "refused": [asdict(refused_file) for refused_file in result.refusals],
        "notes": [asdict(note) for note in result.notes],
    }
    if result.course_id is None:
        if as_json:
            show(as_json, body, "")
        raise Refusal("no course was made, for every file was refused: see above")
    refused = f", {len(result.refusals)} refused" if result.refusals else ""
    show(as_json, body, f"added course {result.course_id}: {result.pages} pages{refused}")
    context.exit(1 if result.refusals else 0)
