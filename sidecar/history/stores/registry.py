"""The supported formats of sessions, one line per family."""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from sidecar.history.stores.claude.family import CLAUDE
from sidecar.history.stores.cline_sessions.family import CLINE_SESSIONS
from sidecar.history.stores.closed import SEARCHED, closed_family
from sidecar.history.stores.codex.family import CODEX
from sidecar.history.stores.combined import CombinedStore
from sidecar.history.stores.contract import Evidence, Root, Store, StoreFamily
from sidecar.history.stores.copilot.family import COPILOT
from sidecar.history.stores.gemini.family import GEMINI
from sidecar.history.stores.opencode.family import OPENCODE
from sidecar.history.stores.qwen.family import QWEN
from sidecar.history.stores.task_folders.family import TASK_FOLDERS
from sidecar.storage.kept.copies import copies_in, folder_for

FAMILIES: list[StoreFamily] = [
    TASK_FOLDERS,
    CLAUDE,
    CODEX,
    OPENCODE,
    CLINE_SESSIONS,
    GEMINI,
    QWEN,
    COPILOT,
]
"""The family that recognizes a root opens it, else the first that sees folders which it cannot list.

Of several families that recognize it, the one with the most sessions in it opens it, of equals the first.

The first in the list opens empty roots.
"""


_WITH_COPIES: Final[Mapping[str, StoreFamily]] = {"claude": CLAUDE, "gemini": GEMINI}
"""The families of the products whose sessions can be kept."""
_BY_FOLDER: Final = {"projects": "claude", "tmp": "gemini"}
"""The products of these families by the folder of their sessions."""
_TOGETHER: Final[Sequence[StoreFamily]] = (CLINE_SESSIONS, TASK_FOLDERS)
"""Families whose products use the same root; other agents have folders named `tasks` of another kind."""


def open_store(root: Root) -> Store:
    """Open the store of a root; one with both of Cline's formats has the sessions of both."""
    if (combined := _combined(root)) is not None:
        return combined
    family = _fullest(root, [family for family in FAMILIES[1:] if family.recognizes(root.path)])
    return (family or _family_of_copies(root) or _closed_family(root) or FAMILIES[0]).open(root)


def with_added_format(store: Store) -> Store:
    """Return the store itself, or the store of both of Cline's formats if its root has both by now."""
    return store if isinstance(store, CombinedStore) else _combined(store.root) or store


def evidence_of(store: Store) -> list[Evidence] | None:
    """Return all places that decide which family opens a root, and what its rows are; None if unknown."""
    own = store.evidence()
    if own is None:
        return None
    path = store.root.path
    tops = [(f"{path}{os.sep}{top}", levels) for top, levels in SEARCHED.items()]
    return [(path, 1), *tops, *own, *copies_in(store.root.copies).places()]


def _fullest(root: Root, found: list[StoreFamily]) -> StoreFamily | None:
    """Return the family with the most sessions: a root may hold a stray file of another product."""
    if GEMINI in found and QWEN in found:
        found.remove(QWEN)  # Gemini has counted the chats of both
    if found and CLAUDE not in found and TASK_FOLDERS.recognizes(root.path):
        found.append(TASK_FOLDERS)
    return max(found, key=partial(_count, root), default=None) if len(found) > 1 else next(iter(found), None)


def _count(root: Root, family: StoreFamily) -> int:
    """Count the sessions in regular files, and the folders that are surely tasks."""
    store = family.open(root)
    if family is TASK_FOLDERS:
        return sum(map(store.is_surely_task, store.members()))
    if family is OPENCODE:  # whose databases are regular files
        return len(store.members())
    return sum(_is_regular(store.location(key)) for key in store.members())


def _is_regular(path: str) -> bool:
    return os.path.isfile(path) and not os.path.islink(path)  # noqa: PTH113, PTH114 (roots keep texts)


def _combined(root: Root) -> Store | None:
    together = [family for family in _TOGETHER if family.recognizes(root.path)]
    return CombinedStore(root, [family.open(root) for family in together]) if len(together) > 1 else None


def _family_of_copies(root: Root) -> StoreFamily | None:
    """Return the family of the kept copies: the product may have deleted all sessions."""
    if not root.copies or FAMILIES[0].recognizes(root.path):
        return None
    copies = copies_in(root.copies)
    product = copies.listed().product
    if not product:  # of a list whose first line is damaged; older versions did not repeat it
        paths = (file.path for session in copies.sessions().values() for file in session.files)
        product = _BY_FOLDER.get(next(paths, "").partition("/")[0], "")
    return _WITH_COPIES.get(product)


def _closed_family(root: Root) -> StoreFamily | None:
    """Return the family of folders that cannot be listed, in a root where no task can be seen."""
    family = closed_family(root.path, FAMILIES)
    if family is None or family is FAMILIES[0]:
        return family
    tasks = FAMILIES[0].open(root)
    return None if any(map(tasks.is_surely_task, tasks.members())) else family


def is_root(path: Path) -> bool:
    """Return whether a folder holds sessions in any format, or folders of one that cannot be listed."""
    return holds_sessions(str(path), FAMILIES)


def holds_sessions(path: str, families: Sequence[StoreFamily]) -> bool:
    """Return whether a folder holds sessions of these families, or folders that cannot be listed."""
    return any(family.recognizes(path) for family in families) or closed_family(path, families) is not None


def describe_root(path: str | os.PathLike[str], read_only: bool = True, kept: str = "") -> Root:
    """Create the root of `path`: absolute, but with links kept, since users know that name.

    `kept` is the folder of all kept copies.
    """
    absolute = str(Path(path).expanduser().absolute())
    products = (family.product_of_path(absolute) for family in FAMILIES)
    copies = folder_for(kept, absolute) if kept else ""
    return Root(absolute, read_only, next(filter(None, products), None), copies)
