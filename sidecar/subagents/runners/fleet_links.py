"""The links to clusters that the clients of a Host share. What they need is imported with the first one."""

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sidecar.api.settings import FleetSettings

if TYPE_CHECKING:
    from sidecar.subagents.runners.remote.link import FleetLink


class FleetLinks:
    """One link for each `fleet` setting in use."""

    def __init__(self) -> None:
        self._links: dict[tuple[str, ...], FleetLink] = {}
        self.slots_changed: Callable[[], None] = lambda: None
        """Called when slots of a cluster may be free."""
        self.clean: Callable[[FleetLink], None] = lambda _: None
        """Called with the link of a cluster where ended runs may have left something."""

    def link(self, settings: FleetSettings, environment: Mapping[str, str]) -> "FleetLink":
        """Return the link for a setting; the first client's environment starts its gateway."""
        from sidecar.subagents.runners.remote.link import FleetLink

        key = (*(settings.gateway or ()), "", settings.address, settings.namespace, settings.token_path or "")
        if key not in self._links:
            self._links[key] = FleetLink(
                settings, environment, lambda: self.slots_changed(), lambda link: self.clean(link)
            )
        return self._links[key]

    async def aclose(self) -> None:
        """End all gateways; runs on clusters continue."""
        links, self._links = list(self._links.values()), {}
        await asyncio.gather(*(link.aclose() for link in links))
