"""The help of every command."""

from collections.abc import Iterator

import click

from sidecar.app.serve import command_line
from sidecar.cli import main


def test_every_option_of_every_command_has_a_help_text() -> None:
    without = [f"{path} {option.name}" for path, option in _options(main.group, "") if not option.help]
    without += [f"serve {action.dest}" for action in command_line()._actions if not action.help]
    assert not without


def _options(command: click.Command, path: str) -> Iterator[tuple[str, click.Option]]:
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield path, parameter
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            if (inner := command.get_command(context, name)) is not None:
                yield from _options(inner, f"{path} {name}".strip())
