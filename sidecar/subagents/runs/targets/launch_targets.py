"""Match definitions with the runners that execute them."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from sidecar.api.mcp_servers import OWN_SERVER
from sidecar.api.runs.async_tasks import PlacementKind
from sidecar.api.runs.subagents import SubagentsResult
from sidecar.api.settings import Settings
from sidecar.subagents.definitions import (
    Definition,
    DefinitionDirectory,
    DefinitionSet,
    check,
    definition_directories,
    find,
)
from sidecar.subagents.definitions.approval import brought_by, explain, missing_approval
from sidecar.subagents.runners.contract import Runner
from sidecar.subagents.runners.fleet_links import FleetLinks
from sidecar.subagents.runs.targets.descriptions import (
    describe_definitions,
    runner_name,
    understands_model,
    usual_placement,
)
from sidecar.subagents.runs.targets.runner_choice import RunnerChoice, refusal, remote_runner, runner_named
from sidecar.subagents.runs.targets.target import Target

_NO_LABELS: Mapping[str, str] = {}


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
        return describe_definitions(loaded, settings, RunnerChoice(runners, self._environment))

    def check(
        self, settings: Settings, runners: Mapping[str, Runner], paths: Sequence[Path]
    ) -> SubagentsResult:
        """Return the definitions in these files and directories, and their problems. Reads files."""
        choice = RunnerChoice(runners, self._environment)
        return describe_definitions(check(paths, self._environment), settings, choice)

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
            raise refusal(name, "its definition asks for isolation: worktree, which is not supported yet")
        chosen = runner_name(placed, settings.default_runner, runners)
        settings = _with_labels(settings, node_labels)
        target = self._placed(definition, chosen, settings, runners, placement, links)
        runner = target.runner
        if not understands_model(runner.name, placed):
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
        wanted = placement or usual_placement(definition, chosen, settings)
        if wanted != "ray" or links is None:
            return Target(definition, runner_named(definition.name, chosen, runners, self._environment))
        if definition.mcp_servers is not None and definition.mcp_servers.has_own_tools:
            raise refusal(
                definition.name,
                f"its mcpServers name {OWN_SERVER}, but runs on a cluster do not get the sidecar's tools; "
                "remove it, or use placement: local",
            )
        runner = remote_runner(definition.name, chosen, settings, runners, self._environment, links)
        return Target(
            definition,
            runner,
            place=runner.place,
            check_place=runner.check_place,
            has_place=runner.has_place,
        )


def _with_labels(settings: Settings, labels: Mapping[str, str]) -> Settings:
    """Return the settings with what a launch asks of its node."""
    fleet = msgspec.structs.replace(settings.fleet, labels={**settings.fleet.labels, **labels})
    return msgspec.structs.replace(settings, fleet=fleet)
