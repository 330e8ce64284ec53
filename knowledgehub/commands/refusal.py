"""How a command refuses: one line on stderr and status 1."""

from typing import IO, Any

import click
import psycopg
from psycopg import errors

from knowledgehub.calls import Answer
from knowledgehub.commands.output import printable
from knowledgehub.database import is_unavailable


class Refusal(click.ClickException):
    """Ends the command with status 1; the message becomes one line that says what to do."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the line."""
        click.echo(f"knowledgehub: {printable(' '.join(self.message.split()))}", file=file, err=file is None)


def refusal(answer: Answer, **reasons: str) -> Refusal:
    """Make a refusal of an answer that is none of those wanted.

    ``reasons`` has a line for each outcome that the command knows; ``invalid`` speaks for itself.
    """
    if answer.outcome in reasons:
        return Refusal(reasons[answer.outcome])
    if answer.outcome == "invalid":
        errors = [f"{error['pointer'].lstrip('/')}: {error['message']}" for error in answer.detail["errors"]]
        return Refusal("; ".join(errors))
    return Refusal(f"the database answered {answer.outcome!r}")


def require_ok(answer: Answer, **reasons: str) -> None:
    """Raise :func:`refusal` unless the outcome is ok."""
    if answer.outcome != "ok":
        raise refusal(answer, **reasons)


def explain(error: psycopg.Error) -> str:
    """Say in one line what an error of the database means for whoever typed the command."""
    reason = error.diag.message_primary or str(error)
    if isinstance(error, errors.UndefinedFunction | errors.InvalidSchemaName):
        return f"the database has not this version's schema: run `knowledgehub migrate` ({reason})"
    if isinstance(error, errors.InsufficientPrivilege):
        return f"the URL's role may not do this: name hub_operator in KNOWLEDGEHUB_OPERATOR_URL ({reason})"
    if isinstance(error, errors.LockNotAvailable):
        return "somebody else is changing the same rows: try again"
    if is_unavailable(error):
        return f"the database cannot be reached or cannot answer now: {reason}"
    return f"the database refused: {reason}"
