"""`agents`: list and check definitions."""

from pathlib import Path

import click
from click.core import ParameterSource

from sidecar.api.runs.subagents import DefinitionProblem, SubagentsResult
from sidecar.app.settings import SettingsStore, user_config_dir
from sidecar.cli import exits, output
from sidecar.cli.checks.commands import check, doctor
from sidecar.cli.options import common, storage_root, workspace, workspace_folder
from sidecar.subagents.runners.registry import build_runners
from sidecar.subagents.runs.targets.launch_targets import LaunchTargets


@click.group(invoke_without_command=True)
@storage_root
@workspace
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the result of subagents/list.")
@common
@click.pass_context
def agents(
    context: click.Context,
    own_root: Path,
    workspace: Path,
    trust: bool,
    as_json: bool,
    store: SettingsStore,
) -> None:
    """List subagent definitions and their problems."""
    if context.invoked_subcommand is not None:
        _refuse_options(context)
        return
    settings = store.current
    runners = build_runners(settings.runners)
    targets = LaunchTargets(user_config_dir())
    found = targets.describe(settings, runners, [workspace], trusted=trust)
    if as_json:
        output.write_json(found)
        return
    _write_items(found)
    for problem in found.problems:
        output.echo_line(_line(problem), err=True)
    places = targets.places(settings, [workspace], trusted=True)
    if not trust and any(place.level == "workspace" and place.path.is_dir() for place in places):
        output.echo("The workspace has its own definitions; use --trust to list them too.", err=True)


@agents.command(short_help="Report problems in definitions.")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path, resolve_path=True))
@workspace_folder
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the result of subagents/validate.")
@common
def validate(paths: tuple[Path, ...], workspace: Path, as_json: bool, store: SettingsStore) -> int:
    """Report problems in the definitions at PATH…, or in all definitions.

    A PATH is a file, a folder of definitions, or a workspace. The command runs none of them, so they need
    no trust.
    """
    settings = store.current
    runners = build_runners(settings.runners)
    targets = LaunchTargets(user_config_dir())
    if paths:
        found = targets.check(settings, runners, paths)
    else:
        found = targets.describe(settings, runners, [workspace], trusted=True)
    if as_json:
        output.write_json(found)
    else:
        for problem in found.problems:
            output.echo_line(_line(problem))
        output.echo(
            f"{_counted(len(found.items), 'definition')}, {_counted(len(found.problems), 'problem')}",
            err=True,
        )
    return exits.FAILED if found.problems else exits.DONE


agents.add_command(doctor)
agents.add_command(check)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _refuse_options(context: click.Context) -> None:
    """Raise a usage error for options before a subcommand, which would be ignored silently."""
    for name in context.params:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"put options after {context.invoked_subcommand}", context)


def _write_items(found: SubagentsResult) -> None:
    rows = [
        [
            item.name,
            item.description,
            item.runner + (" (not available)" if item.unavailable else ""),
            item.source.level + (" (shadowed)" if item.shadowed_by else ""),
            item.source.path,
        ]
        for item in found.items
    ]
    output.write_table(["NAME", "DESCRIPTION", "RUNNER", "LEVEL", "FILE"], rows, title_column=1)


def _line(problem: DefinitionProblem) -> str:
    line = f":{problem.line}" if problem.line else ""
    return f"{problem.path}{line}: {problem.message}"
