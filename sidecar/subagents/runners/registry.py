"""The runners of the settings, by name."""

from collections.abc import Iterable, Mapping
from typing import Any

from sidecar.api.settings import RunnerSettings
from sidecar.subagents.runners.acp import AcpRunner
from sidecar.subagents.runners.command import CommandRunner
from sidecar.subagents.runners.contract import Emit, RunHandle, Runner, RunnerUnavailable, RunSpec
from sidecar.subagents.runners.profiles import found_profiles
from sidecar.subagents.runners.turns import Turns


class UnbuiltRunner:
    """A runner of a type that the settings know and this version cannot start."""

    def __init__(self, name: str, type: str) -> None:
        self.name = name
        self.type = type

    def check(self) -> None:
        """Raise `RunnerUnavailable`, always."""
        raise self._unavailable()

    async def start(self, spec: RunSpec, emit: Emit) -> RunHandle:
        """Raise `RunnerUnavailable`, always."""
        raise self._unavailable()

    def _unavailable(self) -> RunnerUnavailable:
        reason = f"type {self.type!r} is not built yet in this version; use type 'command'"
        return RunnerUnavailable(f"runner {self.name!r}: {reason}")


def build_runners(settings: Mapping[str, RunnerSettings]) -> dict[str, Runner]:
    """Return a runner for each entry of the setting `runners`, in its order, then each known agent found.

    They share the loop fairly. Called by the Host at its start and when the settings change; runs under way
    keep their old runner.
    """
    turns = Turns()
    found = {name: RunnerSettings(type="acp") for name in found_profiles() if name not in settings}
    return {name: _build(name, entry, turns) for name, entry in {**settings, **found}.items()}


def describe_runners(runners: Iterable[Runner]) -> list[dict[str, Any]]:
    """Return `{name, type, available}` of each, as `initialize` answers them."""
    return [{"name": runner.name, "type": runner.type, "available": _available(runner)} for runner in runners]


def _build(name: str, entry: RunnerSettings, turns: Turns) -> Runner:
    if entry.type == "command":
        return CommandRunner(name, entry, turns)
    if entry.type == "acp":
        return AcpRunner(name, entry, turns)
    return UnbuiltRunner(name, entry.type)


def _available(runner: Runner) -> bool:
    try:
        runner.check()
    except RunnerUnavailable:
        return False
    return True
