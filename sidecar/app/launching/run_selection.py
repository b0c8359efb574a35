"""Decide which runs a request to cancel several covers."""

from dataclasses import dataclass

from sidecar.api.runs.async_tasks import Owner


@dataclass(frozen=True)
class RunSelection:
    """The runs of one client, of some workspaces, or of everybody: None does not restrict."""

    client_id: str | None = None
    folders: frozenset[str] | None = None
    """Real paths, as in `Owner.workspace_dir`."""

    def covers(self, client_id: str, owner: Owner | None) -> bool:
        """Return whether a run of this client and owner is covered; one with an unknown owner always is."""
        if self.client_id is not None and client_id != self.client_id:
            return False
        return self.folders is None or owner is None or owner.workspace_dir in self.folders


EVERYTHING = RunSelection()
