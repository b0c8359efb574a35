"""The family of Gemini CLI, which keeps its chats in `~/.gemini`."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from sidecar.api.stored.tasks import Product
from sidecar.history.stores.contract import Place, Root
from sidecar.history.stores.sessions.folders import Folders, first_heads

if TYPE_CHECKING:
    from sidecar.history.stores.editors import Machine
    from sidecar.history.stores.gemini.store import GeminiStore

_FOLDER: Final = ".gemini"
_MOST: Final = 50
"""How many chats that are not empty are opened to recognize a root: some may be damaged."""


class GeminiChats:
    """Find and open roots of Gemini CLI; see `StoreFamily`."""

    def recognizes(self, root: str) -> bool:
        """Return whether there are chats in the form of Gemini or, without chats, its list of projects."""
        if not os.path.isdir(os.path.join(root, "tmp")):  # noqa: PTH112, PTH118 (roots keep texts)
            return False
        from sidecar.history.stores.gemini.layout import TMP, chat_paths  # most lists need other families
        from sidecar.history.stores.gemini.projects import PROJECTS_FILE

        heads = [*first_heads((chat.path for chat in chat_paths(root, Folders())), _MOST)]
        if heads:
            firsts = [head.partition(b"\n")[0] for head in heads]
            of_qwen = sum(b'"uuid"' in first and b'"sessionId"' in first for first in firsts)
            return of_qwen * 2 < len(firsts)
        paths = (os.path.join(root, name) for name in (PROJECTS_FILE, TMP))  # noqa: PTH118 (roots keep texts)
        return all(map(os.path.lexists, paths))

    def product_of_path(self, path: str) -> Product | None:
        """Return None: only the content tells."""
        return None

    def places(self, machine: "Machine") -> Iterator[Place]:
        """Yield the folder in the home, or in the one that stands for it."""
        yield Place(machine.folder("GEMINI_CLI_HOME", machine.home) / _FOLDER, "chats of Gemini CLI")

    def open(self, root: Root) -> "GeminiStore":
        """Open the store of a root."""
        from sidecar.history.stores.gemini.store import GeminiStore  # most lists need other families

        return GeminiStore(root)


GEMINI: Final = GeminiChats()
