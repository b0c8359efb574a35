"""What a client brings along: its settings and environment, and the definitions and runners found there."""

import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sidecar.api.runs.async_tasks import Owner
from sidecar.api.settings import SettingsSource
from sidecar.app.definitions import Definitions
from sidecar.app.delegation.rights import ParentRights
from sidecar.app.launching.run_selection import RunSelection
from sidecar.app.launching.workspace import Workspace
from sidecar.app.runner_set import RunnerSet
from sidecar.subagents.runners.shared_starts import SharedStarts
from sidecar.user_dirs import user_dir


class ClientContext:
    """The settings, runners and definitions of one client.

    Runs inherit `environment`. `name` is shown as the owner of its runs.
    """

    def __init__(
        self,
        settings: SettingsSource,
        environment: Mapping[str, str] = os.environ,
        name: str = "",
        starts: SharedStarts | None = None,
    ) -> None:
        """`starts` is shared by the runs of all clients of a Host."""
        self.id = str(uuid.uuid4())
        self.settings = settings
        self.name = name
        self.runners = RunnerSet(settings, environment, starts)
        config_dir = Path(user_dir("config", environment))
        self.definitions = Definitions(settings, self.runners, config_dir, environment)
        self._environment = environment

    def caller(self, workspace: Workspace) -> "Caller":
        """Return who launches runs for this client in a workspace."""
        return Caller(
            workspace, self.settings, self.definitions, self.name, self.id, environment=self._environment
        )


@dataclass(frozen=True)
class Caller:
    """Who launches a run: a client with its workspace, at the time of the launch."""

    workspace: Workspace
    settings: SettingsSource
    definitions: Definitions
    name: str = ""
    client_id: str = ""
    parent: ParentRights | None = None
    """The rights of the run that launches, if a run does."""
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    """What its runs inherit."""

    def owner(self, directory: str = "") -> Owner:
        """Return the owner of a run in a working directory: the first open folder identifies a workspace.

        A run belongs to the owner of its parent.
        """
        if self.parent is not None and self.parent.owner is not None:
            return self.parent.owner
        folders = self.workspace.folders
        return Owner(client=self.name, workspace_dir=os.path.realpath(folders[0] if folders else directory))

    def workspace_owner(self) -> Owner | None:
        """Return the owner of a run whose working directory is not known yet; None without open folders."""
        return self.owner() if self.workspace.folders else None

    def selection(self) -> RunSelection:
        """Return the runs of this workspace; without open folders, those of this client."""
        folders = self.workspace.real_folders
        return RunSelection(folders=folders) if folders else RunSelection(client_id=self.client_id)
