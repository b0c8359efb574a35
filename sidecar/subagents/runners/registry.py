"""The runners: those from the settings, and known agents that need no settings."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

from sidecar.api.settings import RunnerSettings
from sidecar.subagents.runners import builtin_runner
from sidecar.subagents.runners.acp.agents.profiles import found_profiles, profile_named
from sidecar.subagents.runners.acp.runner import AcpRunner
from sidecar.subagents.runners.builtin_runner import BuiltinRunner
from sidecar.subagents.runners.command.runner import CommandRunner
from sidecar.subagents.runners.contract import Runner, RunnerUnavailable
from sidecar.subagents.runners.shared_starts import SharedStarts


def build_runners(
    settings: Mapping[str, RunnerSettings],
    environment: Mapping[str, str] = os.environ,
    starts: SharedStarts | None = None,
) -> dict[str, Runner]:
    """Return the runners from the setting `runners`, in order, then the known agents found on the PATH.

    The built-in agent comes last, if a key for its model is set. Runs inherit `environment`, where programs
    and the key are searched, too. A client calls this at its start and when the settings change; existing
    runs keep their old runner.
    """
    starts = starts or SharedStarts()
    found = {name: RunnerSettings(type="acp") for name in found_profiles(environment) if name not in settings}
    entries = {**settings, **found}
    runners = {name: _build(name, entry, environment, starts) for name, entry in entries.items()}
    builtin = _build(builtin_runner.NAME, RunnerSettings(type="builtin"), environment, starts)
    if isinstance(builtin, BuiltinRunner) and builtin.is_configured:
        runners.setdefault(builtin.name, builtin)
    return runners


def unlisted_runner(name: str, environment: Mapping[str, str] = os.environ) -> Runner | None:
    """Return the known runner with this name even if it is unusable; its `check` explains what is missing."""
    if name == builtin_runner.NAME:
        return BuiltinRunner(name, RunnerSettings(type="builtin"), environment=environment)
    if profile_named(name) is None:
        return None
    return AcpRunner(name, RunnerSettings(type="acp"), environment=environment)


def describe_runners(runners: Iterable[Runner]) -> list[dict[str, Any]]:
    """Return the members of a `RunnerInfo` for each runner, available ones first, as `initialize` does.

    `reason` is None for an available runner; otherwise it names the cause and the remedy.
    """
    return sorted(map(_described, runners), key=lambda entry: not entry["available"])


def _described(runner: Runner) -> dict[str, Any]:
    reason = _why_unavailable(runner)
    described = {"name": runner.name, "type": runner.type, "available": reason is None, "reason": reason}
    if not isinstance(runner, AcpRunner):
        return described
    learned = runner.learned
    known = {"auth": learned.auth, "choices": learned.choices, "features": learned.features}
    return {**described, **known, "commands": learned.commands or None}


def _build(name: str, entry: RunnerSettings, environment: Mapping[str, str], starts: SharedStarts) -> Runner:
    if entry.type == "command":
        return CommandRunner(name, entry, starts.scheduler, environment)
    gate = starts.gate(name)
    if entry.type == "acp":
        return AcpRunner(
            name,
            entry,
            starts.scheduler,
            environment=environment,
            gate=gate,
            learned=starts.learned(name),
        )
    return BuiltinRunner(name, entry, starts.scheduler, environment, gate, starts.learned(name))


def _why_unavailable(runner: Runner) -> str | None:
    try:
        if isinstance(runner, BuiltinRunner):
            runner.check_with_model()
        else:
            runner.check()
    except RunnerUnavailable as error:
        return error.message
    return None
