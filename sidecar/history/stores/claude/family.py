"""The family of Claude Code: what its roots look like, and where they are."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sidecar.api.stored.tasks import Product
from sidecar.history.stores.claude.layout import session_files
from sidecar.history.stores.contract import Place, Root
from sidecar.history.stores.sessions.folders import Folders

if TYPE_CHECKING:
    from sidecar.history.stores.claude.store import ClaudeStore
    from sidecar.history.stores.editors import Machine

_WHAT = "sessions of Claude Code"


class ClaudeSessions:
    """Finds and opens the roots of Claude Code."""

    def recognizes(self, root: str) -> bool:
        """Return whether a project holds the file of a session."""
        return next(session_files(root, Folders()), None) is not None

    def product_of_path(self, path: str) -> Product | None:
        """Return None: the content decides."""
        return None

    def places(self, machine: "Machine") -> Iterator[Place]:
        """Yield the folder that CLAUDE_CONFIG_DIR names, and the default ones."""
        named = machine.environment.get("CLAUDE_CONFIG_DIR", "")
        for part in map(str.strip, named.split(",")):
            if part and Path(part).is_absolute():
                yield Place(Path(part), _WHAT)
        yield Place(machine.home / ".claude", _WHAT)
        yield Place(machine.folder("XDG_CONFIG_HOME", machine.home / ".config") / "claude", _WHAT)

    def open(self, root: Root) -> "ClaudeStore":
        """Open the store of a root."""
        from sidecar.history.stores.claude.store import (
            ClaudeStore,
        )  # most lists need only some of the families

        return ClaudeStore(root)


CLAUDE = ClaudeSessions()
