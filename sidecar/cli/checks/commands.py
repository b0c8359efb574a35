"""`agents doctor` and `agents check`: try the agents of this machine."""

import asyncio
import shlex
from collections.abc import Mapping

import click

from sidecar.api.runs.runners import AgentReport, CheckResult, RunnerAuth
from sidecar.app.settings import SettingsStore
from sidecar.cli import exits, output
from sidecar.cli.options import common
from sidecar.subagents.runners.acp.runner import AcpRunner
from sidecar.subagents.runners.contract import Runner
from sidecar.subagents.runners.registry import build_runners, unlisted_runner

_MARKS = {True: "ok", False: "FAILED", None: "unknown"}


@click.command()
@click.argument("names", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: a list of reports.")
@common
def doctor(names: tuple[str, ...], as_json: bool, store: SettingsStore) -> int:
    """Open a session with each agent, without a prompt.

    Checks the agents NAME…, or all agents on this machine.
    """
    runners = build_runners(store.current.runners)
    chosen = [_agent(name, runners) for name in names] or [
        each for each in runners.values() if isinstance(each, AcpRunner)
    ]
    reports = asyncio.run(_examine(chosen))
    if as_json:
        output.write_json(reports)
    elif reports:
        output.write_table(
            ["RUNNER", "VERSION", "SESSION", "MODE", "MODES", "MODELS", "SECONDS"],
            [_row(each) for each in reports],
            title_column=2,
        )
        for report in reports:
            if report.auth is not None and report.auth.needed:
                output.echo_line(f"To sign in to {report.name}: {_how_to_sign_in(report.auth)}")
    else:
        output.echo("No agents found. Install one of those in docs/agents.md, or set runners.", err=True)
    return exits.DONE if all(each.opened for each in reports) else exits.FAILED


@click.command(short_help="Check that an agent asks for permission and stops on request.")
@click.argument("name")
@click.option("--limit", type=click.FloatRange(min=1), default=120.0, help="Seconds for each prompt.")
@click.option("--model", help="The model to use, by default the agent's own.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: a list of results.")
@common
def check(name: str, limit: float, model: str | None, as_json: bool, store: SettingsStore) -> int:
    """Check that the agent NAME asks for permission and stops on request.

    Sends prompts to the agent, whose model may cost money.
    """
    runner = _agent(name, build_runners(store.current.runners))
    results = asyncio.run(_check(runner, limit, model, shows=not as_json))
    if as_json:
        output.write_json(results)
    return exits.FAILED if any(each.passed is False for each in results) else exits.DONE


def _agent(name: str, runners: dict[str, Runner]) -> AcpRunner:
    runner = runners.get(name) or unlisted_runner(name)
    if not isinstance(runner, AcpRunner):
        known = ", ".join(each for each, found in runners.items() if isinstance(found, AcpRunner)) or "none"
        raise click.UsageError(f"{name!r} is not an agent; agents found: {known}")
    return runner


async def _examine(runners: list[AcpRunner]) -> list[AgentReport]:
    from sidecar.subagents.runners.acp.check.doctor import examine

    return [await examine(runner) for runner in runners]


async def _check(runner: AcpRunner, limit: float, model: str | None, *, shows: bool) -> list[CheckResult]:
    from sidecar.subagents.runners.acp.check.kit import check as checks

    results = []
    async for result in checks(runner, limit, model):
        results.append(result)
        if shows:
            output.echo_line(f"{_MARKS[result.passed]:8}{result.name}: {result.detail}")
    return results


def _row(report: AgentReport) -> list[str]:
    choices, features = report.choices, report.features
    needs_sign_in = report.auth is not None and report.auth.needed
    session = "ok" if report.opened else "sign in" if needs_sign_in else report.error or "failed"
    return [
        report.name,
        (features.version if features else None) or "",
        session,
        report.mode or "",
        ", ".join(choices.modes) if choices else "",
        str(len(choices.models)) if choices else "",
        f"{report.seconds:.1f}",
    ]


def _how_to_sign_in(auth: RunnerAuth) -> str:
    """Return the commands that sign in, the agent's own before the known one, or else what to do."""
    own = [_line(each.command, each.env or {}) for each in auth.methods if each.command]
    known = [shlex.join(auth.command)] if auth.command else []
    return " or ".join(own or known) or auth.advice or "start it in a terminal"


def _line(command: list[str], env: Mapping[str, str]) -> str:
    """Return a command line for a shell."""
    return " ".join([*(f"{name}={shlex.quote(value)}" for name, value in env.items()), shlex.join(command)])
