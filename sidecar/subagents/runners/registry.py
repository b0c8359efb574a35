"""The runners: those from the settings, and known agents that need no settings."""

from collections.abc import Iterable, Mapping
from typing import Any

from sidecar.api.settings import RunnerSettings
from sidecar.subagents.runners import builtin_runner
from sidecar.subagents.runners.acp.agents.profiles import found_profiles, profile_named
from sidecar.subagents.runners.acp.runner import AcpRunner
from sidecar.subagents.runners.builtin_runner import BuiltinRunner
from sidecar.subagents.runners.command.runner import CommandRunner
from sidecar.subagents.runners.contract import Runner, RunnerUnavailable
from sidecar.subagents.runners.output.fair_scheduler import FairScheduler


def build_runners(settings: Mapping[str, RunnerSettings]) -> dict[str, Runner]:
    """Return the runners from the setting `runners`, in order, then the known agents found on the PATH.

    The built-in agent comes last, if a key for its model is set. All runners share the event loop fairly.
    The Host calls this at its start and when the settings change; existing runs keep their old runner.
    """
    scheduler = FairScheduler()
    found = {name: RunnerSettings(type="acp") for name in found_profiles() if name not in settings}
    runners = {name: _build(name, entry, scheduler) for name, entry in {**settings, **found}.items()}
    builtin = BuiltinRunner(builtin_runner.NAME, RunnerSettings(type="builtin"), scheduler)
    if builtin.is_configured:
        runners.setdefault(builtin.name, builtin)
    return runners


def unlisted_runner(name: str) -> Runner | None:
    """Return the known runner with this name even if it is unusable; its `check` explains what is missing."""
    if name == builtin_runner.NAME:
        return BuiltinRunner(name, RunnerSettings(type="builtin"))
    return AcpRunner(name, RunnerSettings(type="acp")) if profile_named(name) else None


def describe_runners(runners: Iterable[Runner]) -> list[dict[str, Any]]:
    """Return `{name, type, available, reason}` for each runner, as in the result of `initialize`.

    `reason` is None for an available runner; otherwise it names the cause and the remedy.
    """
    return [_described(runner) for runner in runners]


def _described(runner: Runner) -> dict[str, Any]:
    reason = _why_unavailable(runner)
    return {"name": runner.name, "type": runner.type, "available": reason is None, "reason": reason}


def _build(name: str, entry: RunnerSettings, scheduler: FairScheduler) -> Runner:
    if entry.type == "command":
        return CommandRunner(name, entry, scheduler)
    if entry.type == "acp":
        return AcpRunner(name, entry, scheduler)
    return BuiltinRunner(name, entry, scheduler)


def _why_unavailable(runner: Runner) -> str | None:
    try:
        if isinstance(runner, BuiltinRunner):
            runner.check_with_model()
        else:
            runner.check()
    except RunnerUnavailable as error:
        return error.message
    return None
