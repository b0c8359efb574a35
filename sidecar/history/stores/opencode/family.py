"""The family of opencode and of Kilo from version 7 on, which share one schema."""

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

_FOLDERS: Final[dict[str, Product]] = {"opencode": "opencode", "kilo": "kilo"}
_DATABASE: Final = re.compile(r"(?:opencode|kilo)(?:-[\w.]+)?\.db")
_SEPARATOR: Final = re.compile(r"[/\\]")


class OpencodeSessions:
    """Find and open roots of opencode and Kilo; see `StoreFamily`."""

    def recognizes(self, root: str) -> bool:
        """Return whether there is a database of this name, or the folders of an earlier generation."""
        try:
            with os.scandir(root) as entries:
                names = {entry.name for entry in entries}
        except (OSError, ValueError):
            return False
        if any(_DATABASE.fullmatch(name) for name in names):
            return True
        folders = (os.path.join(root, "storage", name) for name in ("session", "message"))  # noqa: PTH118
        if "storage" in names and all(map(os.path.isdir, folders)):  # where Path.is_dir may raise
            return True
        return "project" in names and _has_first_generation(Path(root, "project"))

    def product_of_path(self, path: str) -> Product | None:
        """Return the product whose folder in a data directory this is."""
        *_, parent, name = ["", "", *_SEPARATOR.split(path.rstrip("/\\"))]
        return _FOLDERS.get(name.casefold()) if parent == "share" else None

    def places(self, machine: "Machine") -> Iterator[Place]:
        """Yield the folders in the XDG data directory, which both products use on every platform."""
        data = machine.folder("XDG_DATA_HOME", machine.home / ".local" / "share")
        yield Place(data / "opencode", "sessions of opencode")
        yield Place(data / "kilo", "sessions of Kilo 7 or newer")
        for variable in ("OPENCODE_DB", "KILO_DB"):
            named = machine.environment.get(variable)
            if named and Path(named).is_absolute():
                yield Place(Path(named).parent, f"the database that {variable} names")

    def open(self, root: Root) -> Store:
        """Open the store of a root."""
        from sidecar.history.stores.opencode.store import OpencodeStore

        return OpencodeStore(root)


def _has_first_generation(projects: Path) -> bool:
    try:
        return any((project / "storage" / "session" / "info").is_dir() for project in projects.iterdir())
    except OSError:
        return False


OPENCODE: Final = OpencodeSessions()
