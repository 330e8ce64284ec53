"""``backup``."""

from pathlib import Path
from uuid import UUID

import click

from knowledgehub.archive.file_names import is_archive
from knowledgehub.archive.reader import Finding
from knowledgehub.archive.restore import RestoreRefusedError, WrongArchiveError
from knowledgehub.archive.restore import restore as restore_archive
from knowledgehub.archive.verification import verify as verify_archive
from knowledgehub.commands.output import json_option, one_line, show
from knowledgehub.commands.progress import progress, say
from knowledgehub.commands.refusal import Refusal, refusal
from knowledgehub.commands.session import backup_dir, operator


def _regular_file(_context: click.Context, _parameter: click.Parameter, value: Path) -> Path:
    if not value.is_file():
        raise click.BadParameter(f"{str(value)!r} is no regular file, which an archive is.")
    return value


_ARCHIVE = click.argument(
    "archive", type=click.Path(exists=True, dir_okay=False, path_type=Path), callback=_regular_file
)


@click.group()
def backup() -> None:
    """Check, restore and delete the archives that backup jobs write."""


@backup.command()
@_ARCHIVE
@json_option
def verify(archive: Path, as_json: bool) -> None:
    """Check an ARCHIVE: the file as a whole, its structure, and the hash of every page.

    Everything that is wrong is named, entry by entry, and the status is 1. No database is needed.
    """
    try:
        with progress() as show_progress:
            found = verify_archive(archive, lambda done, of: show_progress(_checked(done, of)))
    except OSError as error:
        raise _unreadable(archive, error) from error
    body = {
        "archive": str(archive),
        "right": not found.findings,
        "bytes": found.bytes,
        "sha256": found.sha256,
        "title": found.title,
        "courses": len(found.courses),
        "pages": len(found.pages),
        "members": found.members,
        "findings": [finding._asdict() for finding in found.findings],
    }
    text = (
        f"{archive} is right: {len(found.courses)} courses, {len(found.pages)} pages,"
        f" {found.members} members; {found.bytes} bytes, SHA-256 {found.sha256}"
    )
    if found.findings:
        if as_json:
            show(as_json, body, "")
        raise _wrong(archive, found.findings, "is damaged or no backup")
    show(as_json, body, text)


@backup.command()
@_ARCHIVE
@click.option("--title", required=True, help="The title of the new workspace.")
@json_option
def restore(archive: Path, title: str, as_json: bool) -> None:
    """Make a new workspace of an ARCHIVE: the same courses and pages in the same order, without members.

    Pages and courses get new ids. The archive is checked first; if anything is wrong, nothing is made.
    """
    try:
        with operator() as calls, progress() as show_progress:
            made = restore_archive(
                calls,
                archive,
                title,
                lambda done, of: show_progress(_checked(done, of)),
                lambda done, of: show_progress(f"{done} of {of} pages restored"),
            )
    except WrongArchiveError as error:
        raise _wrong(archive, error.findings, "was not restored") from error
    except RestoreRefusedError as error:
        reason = refusal(error.answer).message
        raise Refusal(f"nothing was restored: {error.about}: {reason}" if error.about else reason) from error
    except OSError as error:
        raise _unreadable(archive, error) from error
    body = {"id": str(made.workspace_id), "courses": made.courses, "pages": made.pages}
    text = (
        f"restored workspace {made.workspace_id}: {made.courses} courses, {made.pages} pages;"
        " give it members with `knowledgehub member set`"
    )
    show(as_json, body, text)


@backup.command()
@click.argument("job", type=click.UUID)
@json_option
def delete(job: UUID, as_json: bool) -> None:
    """Delete the archive that backup JOB made; the job itself stays on record."""
    with operator() as calls:
        answer = calls.delete_archive(job)
    if answer.outcome not in {"ok", "archive_gone"}:
        unknown = f"there is no finished backup {job}: see `knowledgehub jobs list WORKSPACE`"
        raise refusal(answer, not_found=unknown)
    archive = answer.detail["archive"]
    removed = _remove(archive)
    if answer.outcome == "archive_gone" and not removed:
        raise Refusal(f"the archive of job {job} was deleted before")
    where = "and its file is removed" if removed else "and a worker that has its file will remove it"
    show(as_json, {"archive": archive, "removed": removed}, f"archive {archive} is deleted, {where}")


def _remove(archive: str) -> bool:
    """Remove the file, where this machine has the folder; return whether that was done."""
    folder = backup_dir()
    if folder is None or not is_archive(archive):
        return False
    try:
        (folder / archive).unlink()
    except OSError:
        return False
    return True


def _checked(done: int, of: int) -> str:
    return f"{100 * done // max(of, 1)} % checked"


def _wrong(archive: Path, findings: list[Finding], outcome: str) -> Refusal:
    """Print what is wrong and return the refusal that sums it up."""
    for entry, problem in findings:
        say(f"wrong: {one_line(entry)}: {problem}" if entry else f"wrong: {problem}")
    number = "one thing is" if len(findings) == 1 else f"{len(findings)} things are"
    return Refusal(f"{archive} {outcome}: {number} wrong, see above")


def _unreadable(archive: Path, error: OSError) -> Refusal:
    return Refusal(f"{archive} cannot be read: {error.strerror}")
