"""``settings``."""

import click

from knowledgehub.commands.output import json_option, show, table
from knowledgehub.commands.refusal import require_ok
from knowledgehub.commands.session import operator

_SECTION = "KnowledgeHub:Jobs:"
_INTEGER_RANGE = (-(2**31), 2**31 - 1)


@click.group()
def settings() -> None:
    """Show and change the section KnowledgeHub:Jobs."""


@settings.command("show")
@json_option
def show_settings(as_json: bool) -> None:
    """Show every setting with its range."""
    with operator() as calls:
        answer = calls.list_settings()
    require_ok(answer)
    members = ("name", "value", "minimum", "maximum", "description")
    rows = [[one[member] for member in members] for one in answer.body["settings"]]
    show(as_json, answer.body, table(members, rows))


@settings.command("set", context_settings={"ignore_unknown_options": True})
@click.argument("name")
@click.argument("value", type=int)
@json_option
def set_setting(name: str, value: int, as_json: bool) -> None:
    """Change a setting: NAME with or without KnowledgeHub:Jobs: in front."""
    minimum, maximum = _INTEGER_RANGE
    with operator() as calls:
        # The database names the setting's own range.
        answer = calls.set_setting(name, min(max(value, minimum), maximum))
    require_ok(answer, not_found=f"there is no setting {name}: see `knowledgehub settings show`")
    short = name.removeprefix(_SECTION)
    show(as_json, {"name": short, "value": value}, f"{short} is now {value}")
