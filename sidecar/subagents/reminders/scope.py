"""Whom an end concerns: the workspace that launched the run, its client, or everybody."""

from collections.abc import Set as AbstractSet

from sidecar.api.runs.async_tasks import Owner
from sidecar.api.settings import ReminderScope


class Audience:
    """The models of one client, identified by its name and the real paths of its open folders."""

    def __init__(self, client: str, folders: AbstractSet[str]) -> None:
        self._client = client
        self._folders = folders

    def is_concerned(self, owner: Owner | None, scope: ReminderScope) -> bool:
        """Return whether a run of this owner concerns this client.

        A run of unknown owner concerns everybody. All workspaces concern a client without folders.
        """
        if owner is None or scope == "all":
            return True
        if scope == "client" and owner.client != self._client:
            return False
        return not self._folders or owner.workspace_dir in self._folders
