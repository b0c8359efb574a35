"""The family of Copilot CLI, which keeps its sessions in `~/.copilot`."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from sidecar.api.stored.tasks import Product
from sidecar.history.stores.contract import Place, Root
from sidecar.history.stores.copilot.layout import SESSIONS

if TYPE_CHECKING:
    from sidecar.history.stores.copilot.store import CopilotStore
    from sidecar.history.stores.editors import Machine


class CopilotSessions:
    """Find and open roots of Copilot CLI; see `StoreFamily`."""

    def recognizes(self, root: str) -> bool:
        """Return whether there is the folder of sessions, which no other product has."""
        try:
            return os.path.isdir(os.path.join(root, SESSIONS))  # noqa: PTH112, PTH118 (roots keep texts)
        except (OSError, ValueError):
            return False

    def product_of_path(self, path: str) -> Product | None:
        """Return None: only the content tells."""
        return None

    def places(self, machine: "Machine") -> Iterator[Place]:
        """Yield the folder in the home, or the one that the environment names."""
        yield Place(machine.folder("COPILOT_HOME", machine.home / ".copilot"), "sessions of Copilot CLI")

    def open(self, root: Root) -> "CopilotStore":
        """Open the store of a root."""
        from sidecar.history.stores.copilot.store import CopilotStore  # most lists need other families

        return CopilotStore(root)


COPILOT: Final = CopilotSessions()
