"""The command line: ``knowledgehub COMMAND``."""

import click
import psycopg

from knowledgehub.commands.audit import audit
from knowledgehub.commands.backups import backup
from knowledgehub.commands.courses import course
from knowledgehub.commands.jobs import jobs
from knowledgehub.commands.people import member, session, user, workspace
from knowledgehub.commands.refusal import Refusal, explain
from knowledgehub.commands.services import api, migrate, up, worker
from knowledgehub.commands.settings import settings
from knowledgehub.configuration import ConfigurationError
from knowledgehub.embedded import EmbeddedError
from knowledgehub.migrate import MigrationError


class _Commands(click.Group):
    """Turns what can go wrong with any command into a refusal: one line on stderr, status 1."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (ConfigurationError, EmbeddedError, MigrationError) as error:
            raise Refusal(str(error)) from error
        except psycopg.Error as error:
            raise Refusal(explain(error)) from error
        except UnicodeEncodeError as error:
            raise Refusal("an argument is not UTF-8: write it in UTF-8") from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Durable background jobs for a knowledge base.

    The environment names the database; without, it is the embedded one in DATA_DIR (default: var/ in the
    source tree), started for the command's length when none runs. Every command takes --json. Status: 0 done,
    1 refused, with one line on stderr that says why, 2 called wrongly.
    """


for command in (
    *(up, migrate, api, worker),
    *(user, session, workspace, member, course, settings, backup, jobs, audit),
):
    main.add_command(command)
