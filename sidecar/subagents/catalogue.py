"""Which subagents can be launched here: definitions matched with the runners that execute them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sidecar.api.async_tasks import SubagentsResult
from sidecar.api.errors import LaunchFailed
from sidecar.api.settings import Settings
from sidecar.subagents.definitions import (
    Definition,
    DefinitionSet,
    LoadedDefinitions,
    definition_directories,
    find,
)
from sidecar.subagents.runners.contract import Runner, RunnerUnavailable

AUTO = "auto"


@dataclass(frozen=True)
class Plan:
    """What a launch will execute: a definition on a runner whose program was found."""

    definition: Definition
    runner: Runner


class Catalogue:
    """Answer which subagents there are, and which runner a launch of one takes."""

    def __init__(self, config_dir: Path) -> None:
        self._config_dir = config_dir
        self._definitions = DefinitionSet()

    def describe(self, settings: Settings, folders: Sequence[Path], *, trusted: bool) -> SubagentsResult:
        """Return all definitions and every fault found in them. Reads files."""
        loaded = self._load(settings, folders, trusted=trusted)
        default = settings.default_runner or ""
        return SubagentsResult(
            items=[placed.info(default) for placed in loaded.definitions], problems=loaded.problems
        )

    def plan(
        self,
        settings: Settings,
        runners: Mapping[str, Runner],
        name: str,
        folders: Sequence[Path],
        *,
        trusted: bool,
    ) -> Plan:
        """Choose what a launch of `name` executes. Reads files.

        Raises SubagentNotFound, and LaunchFailed when no runner is named, known or installed.
        """
        loaded = self._load(settings, folders, trusted=trusted)
        definition = find(loaded.definitions, name).definition
        if definition.isolation == "worktree":
            raise _failed(name, "its definition asks for isolation: worktree, which this version lacks")
        return Plan(definition, _runner(definition, settings.default_runner, runners))

    def _load(self, settings: Settings, folders: Sequence[Path], *, trusted: bool) -> LoadedDefinitions:
        return self._definitions.load(
            definition_directories(
                settings.agents.directories,
                [str(folder) for folder in folders],
                trusted=trusted,
                config_dir=self._config_dir,
            )
        )


def _runner(definition: Definition, default: str | None, runners: Mapping[str, Runner]) -> Runner:
    chosen = definition.runner or default
    if chosen is None:
        raise _failed(
            definition.name,
            "neither its definition nor the setting defaultRunner names a runner; "
            f"runners found: {_names(runners)}",
        )
    if chosen == AUTO:
        return _first_available(definition.name, runners)
    if chosen not in runners:
        raise _failed(definition.name, f"there is no runner {chosen!r}; runners found: {_names(runners)}")
    try:
        runners[chosen].check()
    except RunnerUnavailable as error:
        raise _failed(definition.name, error.message) from None
    return runners[chosen]


def _first_available(subagent: str, runners: Mapping[str, Runner]) -> Runner:
    for runner in runners.values():
        if is_available(runner):
            return runner
    raise _failed(subagent, f"no runner is available; configured: {', '.join(runners) or 'none'}")


def is_available(runner: Runner) -> bool:
    """Say whether the runner's program was found."""
    try:
        runner.check()
    except RunnerUnavailable:
        return False
    return True


def _names(runners: Mapping[str, Runner]) -> str:
    return ", ".join(name for name, runner in runners.items() if is_available(runner)) or "none"


def _failed(subagent: str, reason: str) -> LaunchFailed:
    return LaunchFailed(
        f"subagent {subagent!r} cannot be launched: {reason}", subagentName=subagent, reason=reason
    )
