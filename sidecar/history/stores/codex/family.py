"""The family of Codex: what its roots look like, and where they are."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sidecar.api.stored.tasks import Product
from sidecar.history.stores.contract import Place, Root
from sidecar.history.stores.sessions.folders import Folders

if TYPE_CHECKING:
    from sidecar.history.stores.codex.store import CodexStore
    from sidecar.history.stores.editors import Machine

_TOPS = ("sessions", "archived_sessions")
_WHAT = "sessions of Codex"


class CodexSessions:
    """Finds and opens the roots of Codex."""

    def recognizes(self, root: str) -> bool:
        """Return whether there is the file of a session."""
        if not any(map(os.path.isdir, (os.path.join(root, top) for top in _TOPS))):  # noqa: PTH118
            return False
        from sidecar.history.stores.codex.layout import session_files  # most lists need other families

        return next(session_files(root, Folders()), None) is not None

    def product_of_path(self, path: str) -> Product | None:
        """Return None: the content decides."""
        return None

    def places(self, machine: "Machine") -> Iterator[Place]:
        """Yield the folder that CODEX_HOME names, and the default one."""
        default = machine.home / ".codex"
        named = machine.folder("CODEX_HOME", default)
        if named != default:
            yield Place(named, _WHAT)
        yield Place(default, _WHAT)

    def open(self, root: Root) -> "CodexStore":
        """Open the store of a root."""
        from sidecar.history.stores.codex.store import CodexStore  # most lists need only some of the families

        return CodexStore(root)


CODEX = CodexSessions()
