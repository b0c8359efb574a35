"""The Host that all clients of a root share."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sidecar.api.errors import InvalidParams
from sidecar.app.clients.hosting import ClientSettingsStore
from sidecar.app.clients.session import Session
from sidecar.app.host import Host
from sidecar.app.launching.run_selection import RunSelection
from sidecar.app.settings import ClientSettings, dotted, split
from sidecar.host.refusals import is_same


class SharedHost:
    """Lets sessions use one Host, which outlives them."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def enter(
        self, root: Path, file: Mapping[str, Any], given: Mapping[str, Any]
    ) -> tuple[Host, ClientSettings]:
        """Return the Host. Raises InvalidParams for another root, and for settings that are not valid."""
        if not is_same(root, self._host.root.path):
            raise InvalidParams(f"storageRoot: {root} is not the root of this Host ({self._host.root.path})")
        return self._host, ClientSettings(self._host.store, file, given)

    def update_settings(self, settings: ClientSettingsStore, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Apply the client's own settings to it, and the others to the Host; return the others."""
        assert isinstance(settings, ClientSettings), "the client has entered this Host"
        settings.check(changes)
        own, shared = split(changes)
        settings.update(own)
        if shared:
            self._host.update_settings(shared)
        return shared

    def split(
        self, settings: ClientSettingsStore, changes: Mapping[str, Any]
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the changes of the client's own settings, and those that concern the Host."""
        assert isinstance(settings, ClientSettings), "the client has entered this Host"
        settings.check(changes)
        return split(changes)

    def not_applied(self, sent: Mapping[str, Any]) -> list[str]:
        """Return the names of settings that concern the Host."""
        return dotted(sent)

    async def cancel_runs(self, session: Session) -> None:
        """Cancel the runs that this client launched."""
        await self._host.control.cancel_all(by="user", selection=RunSelection(client_id=session.context.id))

    async def end_runs(self) -> None:
        """End nothing: runs continue without their client."""

    async def leave(self, session: Session) -> None:
        """Do nothing: the Host decides by itself when it ends."""
