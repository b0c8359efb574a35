"""The family of Qwen Code, which keeps its chats in `~/.qwen`."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sidecar.api.stored.tasks import Product
from sidecar.history.stores.contract import Place, Root
from sidecar.history.stores.qwen.layout import chat_paths
from sidecar.history.stores.sessions.folders import Folders, first_heads

if TYPE_CHECKING:
    from sidecar.history.stores.editors import Machine
    from sidecar.history.stores.qwen.store import QwenStore

_MOST: Final = 50
"""How many chats that are not empty are opened to recognize a root: some may be damaged."""
_VARIABLES: Final = ("QWEN_RUNTIME_DIR", "QWEN_HOME")
"""The variables that move the chats; the first has precedence, the last moves the settings too."""
_SETTING: Final = "runtimeOutputDir"
"""The setting that moves the chats; one in the settings of a project, or relative to it, is not read."""
_WHAT: Final = "chats of Qwen Code"


class QwenChats:
    """Find and open roots of Qwen Code; see `StoreFamily`."""

    def recognizes(self, root: str) -> bool:
        """Return whether there are chats whose records have the members of Qwen's."""
        heads = first_heads((entry.path for entry in chat_paths(root, Folders())), _MOST)
        firsts = (head.partition(b"\n")[0] for head in heads)
        return any(b'"uuid"' in first and b'"sessionId"' in first for first in firsts)

    def product_of_path(self, path: str) -> Product | None:
        """Return None: only the content tells."""
        return None

    def places(self, machine: "Machine") -> Iterator[Place]:
        """Yield the folders that variables and a setting name, and the one in the home with earlier chats."""
        from sidecar.history.stores.settings_file import custom_texts, read_settings

        default = machine.home / ".qwen"
        named = [_folder(machine, machine.environment.get(variable, "")) for variable in _VARIABLES]
        home = named[-1] or default
        settings = custom_texts(read_settings(home / "settings.json"), [_SETTING])
        named.insert(1, _folder(machine, settings.get(_SETTING, "")))
        for folder in dict.fromkeys([*filter(None, named), default]):
            yield Place(folder, _WHAT)

    def open(self, root: Root) -> "QwenStore":
        """Open the store of a root."""
        from sidecar.history.stores.qwen.store import QwenStore  # most lists need other families

        return QwenStore(root)


def _folder(machine: "Machine", named: str) -> Path | None:
    """Return the folder that a text names as Qwen Code reads it; None if it is relative."""
    if named == "~" or named.startswith(("~/", "~\\")):
        return machine.home.joinpath(*re.split(r"[/\\]+", named[2:]))
    return Path(named) if named and Path(named).is_absolute() else None


QWEN: Final = QwenChats()
