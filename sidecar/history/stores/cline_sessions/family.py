"""The family of Cline from version 4 on."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sidecar.api.stored.tasks import Product
from sidecar.history.stores.contract import Place, Root, Store

if TYPE_CHECKING:
    from sidecar.history.stores.editors import Machine

# What reads sessions is imported when there is such a root.

_ID: Final = re.compile(r"\d{10,15}_\w{1,40}", re.ASCII)
_SEPARATOR: Final = re.compile(r"[/\\]")


class ClineSessions:
    """Find and open roots of Cline 4; see `StoreFamily`."""

    def recognizes(self, root: str) -> bool:
        """Return whether a folder in `sessions` holds the files of a session."""
        sessions = Path(root, "sessions")
        try:
            with os.scandir(sessions) as entries:
                found = (entry.name for entry in entries if _ID.fullmatch(entry.name))
                return any(_holds_session(sessions / name, name) for name in found)
        except (OSError, ValueError):
            return False

    def product_of_path(self, path: str) -> Product | None:
        """Return the product if a folder on the path is Cline's own."""
        return "cline" if ".cline" in map(str.casefold, _SEPARATOR.split(path)) else None

    def places(self, machine: "Machine") -> Iterator[Place]:
        """Yield the data folder, which two variables move."""
        base = machine.folder("CLINE_DIR", machine.home / ".cline")
        yield Place(machine.folder("CLINE_DATA_DIR", base / "data"), "sessions of Cline 4 or newer")

    def open(self, root: Root) -> Store:
        """Open the store of a root."""
        from sidecar.history.stores.cline_sessions.store import ClineStore

        return ClineStore(root)


def _holds_session(folder: Path, name: str) -> bool:
    return any((folder / f"{name}{suffix}").is_file() for suffix in (".json", ".messages.json"))


CLINE_SESSIONS: Final = ClineSessions()
