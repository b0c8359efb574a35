"""The runners of one client: those in the settings and the installed agents."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sidecar.api.lifecycle import MissingAdapter, RunnerInfo
from sidecar.api.settings import SettingsSource
from sidecar.subagents.runners.acp.agents.adapters import missing_adapters
from sidecar.subagents.runners.contract import Runner
from sidecar.subagents.runners.registry import build_runners, describe_runners
from sidecar.subagents.runners.shared_starts import SharedStarts

if TYPE_CHECKING:
    from sidecar.subagents.runners.remote.link import FleetLink


class RunnerSet:
    """The runners that launches can use; `refresh` searches for them again."""

    def __init__(
        self,
        settings: SettingsSource,
        environment: Mapping[str, str],
        starts: SharedStarts | None = None,
    ) -> None:
        """`environment` is what runs inherit, and where programs are searched."""
        self._starts = starts or SharedStarts()
        self.fleet = self._starts.fleet
        self._settings = settings
        self._environment = environment
        self.current: Mapping[str, Runner] = {}
        self.refresh()

    def refresh(self) -> None:
        """Search for installed agents again; running runs keep their runner."""
        self.current = build_runners(self._settings.current.runners, self._environment, self._starts)

    def link(self) -> "FleetLink":
        """Return the link to the cluster of the client's settings."""
        return self.fleet.link(self._settings.current.fleet, self._environment)

    def describe(self) -> list[RunnerInfo]:
        """Return each runner and whether its program was found."""
        return [RunnerInfo(**entry) for entry in describe_runners(self.current.values())]

    def missing_adapters(self) -> list[MissingAdapter]:
        """Return what the agents lack whose own program was found, but not their adapter."""
        return [
            MissingAdapter(runner=runner, program=program, adapter=adapter, install=list(install))
            for runner, program, adapter, install in missing_adapters(self._environment, self.current)
        ]
