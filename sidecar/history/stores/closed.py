"""Roots in which no session can be seen, because their folders cannot be listed."""

import os
from collections.abc import Iterable
from typing import Final

from sidecar.history.stores.contract import Root, SharedProblem, StoreFamily
from sidecar.history.stores.sessions.folders import Folders, why_unlistable

_TOPS: Final = (
    "archived_sessions",
    "project",
    "projects",
    "session-state",
    "sessions",
    "storage",
    "tmp",
)
"""The folders of a root in which the formats of agents have their sessions."""
_LEVELS: Final = 3
"""How far below them a closed folder is looked for."""
SEARCHED: Final = {"tasks": 2, **dict.fromkeys(_TOPS, _LEVELS + 1)}
"""The folders in which sessions are looked for to recognize a root, and how deep."""


def closed_family(root: str, families: Iterable[StoreFamily]) -> StoreFamily | None:
    """Return the first family that sees a folder of its sessions, but none of the sessions in it."""
    if not (os.path.isdir(root) and _has_closed_folder(root)):  # noqa: PTH112 (roots keep texts)
        return None
    return next((family for family in families if _is_closed(family, root)), None)


def _is_closed(family: StoreFamily, root: str) -> bool:
    store = family.open(Root(root))
    return store.unlistable() is not None or (not store.members() and _are_closed(store.unlisted()))


def _has_closed_folder(root: str) -> bool:
    """Search without loading a family, which takes time, because most roots have no such folder."""
    if any(map(why_unlistable, (root, f"{root}{os.sep}tasks"))):
        return True
    folders = Folders()
    found = [f"{root}{os.sep}{top}" for top in _TOPS]
    for _ in range(_LEVELS + 1):
        found = [entry.path for folder in found for entry in folders.subfolders(folder)]
    return _are_closed(folders.unlistable())


def _are_closed(unlisted: Iterable[SharedProblem]) -> bool:
    """Return whether a folder is closed; a link, and what has a strange name, need not hold any sessions."""
    return any(each.problem.code not in ("linkedFolder", "strangeName") for each in unlisted)
