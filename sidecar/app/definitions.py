"""The subagent definitions of one client, matched with its runners."""

import asyncio
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sidecar.api.runs.async_tasks import PlacementKind
from sidecar.api.runs.subagents import SubagentsResult
from sidecar.api.settings import SettingsSource
from sidecar.app.launching.workspace import Workspace
from sidecar.app.runner_set import RunnerSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidecar.subagents.definitions import DefinitionDirectory
    from sidecar.subagents.runs.targets.launch_targets import LaunchTargets
    from sidecar.subagents.runs.targets.target import Target


class Definitions:
    """List definitions and choose launch targets. Parsers are imported when first needed."""

    def __init__(
        self,
        settings: SettingsSource,
        runners: RunnerSet,
        config_dir: Path,
        environment: Mapping[str, str],
    ) -> None:
        self._settings = settings
        self._runners = runners
        self._config_dir = config_dir
        self._environment = environment

    async def describe(self, workspace: Workspace) -> SubagentsResult:
        """Return the definitions for a workspace and their problems."""
        return await asyncio.to_thread(
            lambda: self._targets.describe(
                self._settings.current, self._runners.current, workspace.folders, trusted=workspace.trusted
            )
        )

    async def check(self, paths: "Sequence[Path]") -> SubagentsResult:
        """Return the definitions in these files and directories, and their problems."""
        return await asyncio.to_thread(
            lambda: self._targets.check(self._settings.current, self._runners.current, paths)
        )

    async def target(
        self,
        name: str,
        workspace: Workspace,
        placement: PlacementKind | None,
        node_labels: Mapping[str, str],
    ) -> "Target":
        """Return the target for a launch of `name`. Raises SubagentNotFound and LaunchFailed."""
        return await asyncio.to_thread(
            lambda: self._targets.target(
                self._settings.current,
                self._runners.current,
                name,
                workspace.folders,
                trusted=workspace.trusted,
                placement=placement,
                node_labels=node_labels,
                links=self._runners.fleet,
            )
        )

    def places(self, workspace: Workspace) -> "list[DefinitionDirectory]":
        """Return the directories of definitions in order of precedence."""
        return self._targets.places(self._settings.current, workspace.folders, trusted=workspace.trusted)

    @cached_property
    def _targets(self) -> "LaunchTargets":
        from sidecar.subagents.runs.targets.launch_targets import LaunchTargets

        return LaunchTargets(self._config_dir, self._environment)
