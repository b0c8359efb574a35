"""Match definitions with the runners that execute them."""

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from sidecar.api.errors import LaunchFailed
from sidecar.api.mcp_servers import OWN_SERVER
from sidecar.api.runs.async_tasks import PlacementKind
from sidecar.api.runs.subagents import DefinitionProblem, SubagentsResult
from sidecar.api.settings import RunnerSettings, Settings
from sidecar.subagents.definitions import (
    Definition,
    DefinitionDirectory,
    DefinitionSet,
    LoadedDefinitions,
    PlacedDefinition,
    check,
    definition_directories,
    find,
)
from sidecar.subagents.definitions.approval import (
    brought_by,
    explain,
    explain_servers,
    missing_approval,
    unapproved_servers,
)
from sidecar.subagents.definitions.approval import problem as unapproved
from sidecar.subagents.paths.real_path import real_path
from sidecar.subagents.runners.contract import Runner, RunnerUnavailable
from sidecar.subagents.runners.fleet_links import FleetLinks
from sidecar.subagents.runners.registry import unlisted_runner

if TYPE_CHECKING:
    from sidecar.subagents.runners.remote.runner import RemoteRunner

AUTO = "auto"
_NO_LABELS: Mapping[str, str] = {}


def _always() -> bool:
    """Return whether this machine has a place for a run."""
    return True


@dataclass(frozen=True)
class Target:
    """A definition and the runner that executes it, whose program was found.

    `notices` list the requests of the definition that are not granted. `brought_by` identifies the file of
    the workspace that contains the definition, with its content; None for the user's own.
    """

    definition: Definition
    runner: Runner
    notices: tuple[str, ...] = ()
    trusted_folders: tuple[Path, ...] = ()
    brought_by: str | None = None
    placement: PlacementKind = "local"
    check_place: Callable[[Path], Awaitable[None]] | None = None
    """Checks, for a run on a cluster, that its workspace can travel and that a node can execute it."""

    has_place: Callable[[], bool] = _always
    """Whether a run on a cluster would find a free slot there, as far as is known."""

    def trusts(self, directory: Path) -> bool:
        """Return whether a directory, with links resolved, is inside a folder that the user trusts."""
        real = real_path(directory)
        roots = [root for folder in self.trusted_folders if (root := real_path(folder)) is not None]
        return real is not None and any(Path(real).is_relative_to(root) for root in roots)


class LaunchTargets:
    """List subagents, and choose the runner for a launch."""

    def __init__(self, config_dir: Path, environment: Mapping[str, str] = os.environ) -> None:
        """`environment` is that of the client: it can move the folders of other tools."""
        self._config_dir = config_dir
        self._environment = environment
        self._definitions = DefinitionSet()

    def describe(
        self, settings: Settings, runners: Mapping[str, Runner], folders: Sequence[Path], *, trusted: bool
    ) -> SubagentsResult:
        """Return all definitions and their problems. Reads files."""
        loaded = self._definitions.load(self.places(settings, folders, trusted=trusted))
        return _described(loaded, settings, RunnerChoice(runners, self._environment))

    def check(
        self, settings: Settings, runners: Mapping[str, Runner], paths: Sequence[Path]
    ) -> SubagentsResult:
        """Return the definitions in these files and directories, and their problems. Reads files."""
        choice = RunnerChoice(runners, self._environment)
        return _described(check(paths, self._environment), settings, choice)

    def places(
        self, settings: Settings, folders: Sequence[Path], *, trusted: bool
    ) -> list[DefinitionDirectory]:
        """Return the directories of definitions in order of precedence."""
        return definition_directories(
            settings.agents.directories,
            [str(folder) for folder in folders],
            trusted=trusted,
            config_dir=self._config_dir,
            home=Path(self._environment.get("HOME") or os.path.expanduser("~")),  # noqa: PTH111 # unlike Path.home() it never raises
            environment=self._environment,
        )

    def target(
        self,
        settings: Settings,
        runners: Mapping[str, Runner],
        name: str,
        folders: Sequence[Path],
        *,
        trusted: bool,
        placement: PlacementKind | None = None,
        node_labels: Mapping[str, str] = _NO_LABELS,
        links: FleetLinks | None = None,
    ) -> Target:
        """Return the definition and the runner for a launch of `name`. Reads files.

        `placement` and `node_labels` are those of the launch, and `links` reach the cluster.

        Raises SubagentNotFound, and LaunchFailed if no runner is configured, known or installed.
        """
        loaded = self._definitions.load(self.places(settings, folders, trusted=trusted))
        placed = find(loaded.definitions, name)
        definition = placed.definition
        if definition.isolation == "worktree":
            raise _failed(name, "its definition asks for isolation: worktree, which is not supported yet")
        runner_name = _runner_name(placed, settings.default_runner, runners)
        settings = _with_labels(settings, node_labels)
        target = self._placed(definition, runner_name, settings, runners, placement, links)
        runner = target.runner
        if not _understands_model(runner.name, placed):
            definition = replace(definition, model=None)
        folders_trusted = tuple(folders) if trusted else ()
        approval = missing_approval(placed, settings)
        if approval is None:
            return replace(
                target,
                definition=definition,
                trusted_folders=folders_trusted,
                brought_by=brought_by(placed),
            )
        notices = (explain(placed, settings, approval),)
        granted = replace(definition, permissions=None)
        return replace(
            target,
            definition=granted,
            notices=notices,
            trusted_folders=folders_trusted,
            brought_by=brought_by(placed),
        )

    def _placed(
        self,
        definition: Definition,
        chosen: str | None,
        settings: Settings,
        runners: Mapping[str, Runner],
        placement: PlacementKind | None,
        links: FleetLinks | None,
    ) -> Target:
        """Return the runner where its runs work: the launch decides, then the definition, then the runner."""
        wanted = placement or _usual_placement(definition, chosen, settings)
        if wanted != "ray" or links is None:
            return Target(definition, _runner(definition.name, chosen, runners, self._environment))
        if definition.mcp_servers is not None and definition.mcp_servers.has_own_tools:
            raise _failed(
                definition.name,
                f"its mcpServers name {OWN_SERVER}, whose tools runs on a cluster do not get; remove it, or "
                "use placement: local",
            )
        runner = _remote_runner(definition.name, chosen, settings, runners, self._environment, links)
        return Target(
            definition, runner, placement="ray", check_place=runner.check_place, has_place=runner.has_place
        )


class RunnerChoice:
    """The runners of a client, and why those that definitions name cannot start a run. Checks each once."""

    def __init__(self, runners: Mapping[str, Runner], environment: Mapping[str, str]) -> None:
        self.runners = runners
        self._environment = environment
        self._reasons: dict[str | None, str | None] = {}

    def why_unavailable(self, name: str | None) -> str | None:
        """Return the reason and the remedy, or None for a runner that is ready. None names no runner."""
        if name not in self._reasons:
            self._reasons[name] = self._check(name)
        return self._reasons[name]

    def _check(self, name: str | None) -> str | None:
        try:
            _runner("", name, self.runners, self._environment)
        except LaunchFailed as error:
            return str(error.data["reason"])
        return None


def _usual_placement(definition: Definition, runner: str | None, settings: Settings) -> PlacementKind | None:
    """Return where runs work unless the launch says it; None means this machine."""
    configured = settings.runners.get(runner or "")
    return definition.placement or (None if configured is None else configured.placement)


def _with_labels(settings: Settings, labels: Mapping[str, str]) -> Settings:
    """Return the settings with what a launch asks of its node."""
    fleet = msgspec.structs.replace(settings.fleet, labels={**settings.fleet.labels, **labels})
    return msgspec.structs.replace(settings, fleet=fleet)


def _described(loaded: LoadedDefinitions, settings: Settings, choice: RunnerChoice) -> SubagentsResult:
    items, problems, runners = [], list(loaded.problems), choice.runners
    first = next((name for name, runner in runners.items() if is_available(runner)), "")
    for placed in loaded.definitions:
        runner = _runner_name(placed, settings.default_runner, runners) or ""
        approval = missing_approval(placed, settings)
        placement = _usual_placement(placed.definition, runner, settings)
        is_remote = placement == "ray" and runner not in ("", AUTO)  # then it need not be installed here
        unavailable = None if is_remote else choice.why_unavailable(runner or None)
        items.append(placed.info(runner, approval, unavailable, placement))
        if approval is not None and placed.shadowed_by is None:
            problems.append(unapproved(placed, settings, approval))
        text = brought_by(placed)
        servers = unapproved_servers(placed.definition, text, settings)
        if text is not None and servers and placed.shadowed_by is None:
            problems.append(DefinitionProblem(path=placed.path, message=explain_servers(servers, text)))
        taken = first if runner == AUTO else runner
        if taken and placed.shadowed_by is None and not _understands_model(taken, placed):
            problems.append(_foreign_model(taken, placed))
    return SubagentsResult(items=items, problems=problems)


def _runner_name(placed: PlacedDefinition, default: str | None, runners: Mapping[str, Runner]) -> str | None:
    """Return the runner in the definition, else in the settings, else the agent of the file's format."""
    chosen = placed.definition.runner or default
    if chosen is not None:
        return chosen
    own = (name for name in placed.format.runners if name in runners and is_available(runners[name]))
    return next(own, None)


def _understands_model(runner: str, placed: PlacedDefinition) -> bool:
    """Return whether the runner understands the model; tools name models differently."""
    return placed.definition.model is None or placed.format.closed or runner in placed.format.runners


def _foreign_model(runner: str, placed: PlacedDefinition) -> DefinitionProblem:
    definition, tool = placed.definition, placed.format.name
    message = f"model {definition.model!r} belongs to {tool}; runner {runner!r} uses its default model"
    return DefinitionProblem(path=placed.path, line=definition.model_line, message=message)


def _runner(
    subagent: str, chosen: str | None, runners: Mapping[str, Runner], environment: Mapping[str, str]
) -> Runner:
    if chosen is None:
        raise _failed(
            subagent,
            "neither its definition nor the setting defaultRunner names a runner; "
            f"runners found: {_names(runners)}",
        )
    if chosen == AUTO:
        return _first_available(subagent, runners)
    runner = runners.get(chosen) or unlisted_runner(chosen, environment)
    if runner is None:
        raise _failed(subagent, f"{chosen!r} is not a runner; runners found: {_names(runners)}")
    try:
        runner.check()
    except RunnerUnavailable as error:
        raise _failed(subagent, error.message) from None
    return runner


def _remote_runner(
    subagent: str,
    chosen: str | None,
    settings: Settings,
    runners: Mapping[str, Runner],
    environment: Mapping[str, str],
    links: FleetLinks,
) -> "RemoteRunner":
    """Return the chosen runner for the cluster. It need not be installed on this machine."""
    from sidecar.subagents.runners.remote.runner import RemoteRunner  # here: few users have a cluster

    base = None if chosen in (None, AUTO) else runners.get(chosen or "")
    if base is None and chosen not in (None, AUTO):
        base = unlisted_runner(chosen or "", environment)
    if base is None:
        base = _runner(subagent, chosen, runners, environment)
    entry = settings.runners.get(base.name) or msgspec.convert({"type": base.type}, RunnerSettings)
    link = links.link(settings.fleet, environment)
    remote = RemoteRunner(base, entry, settings.fleet, link, settings.journal.retention_days)
    try:
        remote.check()
    except RunnerUnavailable as error:
        raise _failed(subagent, error.message) from None
    return remote


def _first_available(subagent: str, runners: Mapping[str, Runner]) -> Runner:
    for runner in runners.values():
        if is_available(runner):
            return runner
    raise _failed(subagent, f"no runner is available; configured: {', '.join(runners) or 'none'}")


def is_available(runner: Runner) -> bool:
    """Return whether the program of a runner is installed."""
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
