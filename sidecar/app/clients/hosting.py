"""How a session gets its Host: one of its own, or the one that all clients of the root share."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sidecar.api.settings import Settings
from sidecar.app.host import Host
from sidecar.app.settings import SettingsStore

if TYPE_CHECKING:
    from sidecar.app.clients.session import Session


class ClientSettingsStore(Protocol):
    """The settings in force for one client."""

    @property
    def current(self) -> Settings:
        """The settings now."""

    def update(self, changes: Mapping[str, Any]) -> Settings:
        """Apply changes, or raise InvalidParams naming the key and apply none. None removes a setting."""


class Hosting(Protocol):
    """Gives a session its Host and takes it back."""

    async def enter(
        self, root: Path, file: Mapping[str, Any], given: Mapping[str, Any]
    ) -> tuple[Host, ClientSettingsStore]:
        """Return the Host of a root and the client's settings: those of its file, overridden by those given.

        Raises InvalidParams.
        """

    def update_settings(self, settings: ClientSettingsStore, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Apply changed settings; return those that concern all clients. Raises InvalidParams."""

    def split(
        self, settings: ClientSettingsStore, changes: Mapping[str, Any]
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the changes that concern the client alone, and the others. Raises InvalidParams."""

    def not_applied(self, sent: Mapping[str, Any]) -> list[str]:
        """Return the names of settings that a client cannot set with `initialize`."""

    async def cancel_runs(self, session: "Session") -> None:
        """Cancel the runs of a client that shuts down."""

    async def end_runs(self) -> None:
        """End the runs that must not continue without this client."""

    async def leave(self, session: "Session") -> None:
        """Give the Host back."""


class PrivateHost:
    """A Host in this process, which lives as long as its only client."""

    def __init__(self) -> None:
        self._host: Host | None = None

    async def enter(
        self, root: Path, file: Mapping[str, Any], given: Mapping[str, Any]
    ) -> tuple[Host, SettingsStore]:
        """Open the Host."""
        settings = SettingsStore(file, given)
        self._host = await Host.open(root, settings)
        return self._host, settings

    def update_settings(self, settings: ClientSettingsStore, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Apply changed settings, which nobody shares."""
        assert self._host is not None, "the client has entered"
        self._host.update_settings(changes)
        return {}

    def split(
        self, settings: ClientSettingsStore, changes: Mapping[str, Any]
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return all changes: nobody shares the settings."""
        return changes, {}

    def not_applied(self, sent: Mapping[str, Any]) -> list[str]:
        """Return nothing: all settings are this client's."""
        return []

    async def cancel_runs(self, session: "Session") -> None:
        """Cancel all runs."""
        await session.host.control.cancel_all(by="user")

    async def end_runs(self) -> None:
        """End all runs."""
        if self._host is not None:
            await self._host.end_runs()

    async def leave(self, session: "Session") -> None:
        """Close the Host."""
        if self._host is not None:
            await self._host.aclose()
