"""The changes of an ended run on its node: a file that is complete or does not exist."""

from pathlib import Path
from typing import Any

from sidecar.fleet.tree.node_tree import NodeTree
from sidecar.subagents.runners.remote.git import commit_of

PIECE_BYTES = 4 << 20
"""How much of a bundle one message carries."""


class KeptChanges:
    """The bundle of a run's changes, in its folder."""

    def __init__(self, folder: Path, base: str) -> None:
        self._file = folder / "changes.bundle"
        self._base = base

    def save(self, tree: NodeTree, task_id: str) -> str:
        """Commit the changes once and return the commit. Raises GitError and OSError. Blocking.

        After that, the tree is not needed and may be removed.
        """
        commit = self.commit
        if commit is None:
            commit, data = tree.save(task_id)
            part = self._file.with_suffix(".part")
            part.write_bytes(data)
            part.replace(self._file)
        return commit

    @property
    def commit(self) -> str | None:
        """The commit of the changes, the base without changes; None before they are saved."""
        if not self._file.exists():
            return None
        with self._file.open("rb") as file:
            head = file.read(4096)
        return commit_of(head) if head else self._base

    def piece(self, offset: int) -> dict[str, Any]:
        """Return a piece of the bundle: its commit, the size of the whole, and the bytes. Blocking."""
        commit = self.commit
        if commit is None:
            return {"commit": None, "size": 0, "data": b""}
        with self._file.open("rb") as file:
            file.seek(offset)
            return {"commit": commit, "size": self._file.stat().st_size, "data": file.read(PIECE_BYTES)}
