"""Whom an end concerns: the workspace that launched the run, its client, or everybody."""

import os
from collections.abc import Sequence
from pathlib import Path

from sidecar.api.runs.async_tasks import Owner
from sidecar.api.settings import ReminderScope


class Audience:
    """The models of one client, told apart by its name and its open folders."""

    def __init__(self, client: str, folders: Sequence[Path]) -> None:
        self._client = client
        self._folders = {os.path.realpath(folder) for folder in folders}

    def is_concerned(self, owner: Owner | None, scope: ReminderScope) -> bool:
        """Return whether a run of this owner concerns this client.

        A run of unknown owner concerns everybody. A client without folders is told of all workspaces.
        """
        if owner is None or scope == "all":
            return True
        if scope == "client" and owner.client != self._client:
            return False
        return not self._folders or owner.workspace_dir in self._folders
