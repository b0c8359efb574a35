"""The folder of a run whose process is gone, and the changes in it."""

import contextlib
from dataclasses import dataclass
from pathlib import Path

from sidecar.fleet.node_journal import RESULT, NodeJournal
from sidecar.fleet.tree.kept_changes import KeptChanges
from sidecar.fleet.tree.node_tree import NodeTree


@dataclass(frozen=True)
class LeftRun:
    """A run that left its folder behind. `repository`, `prefix` and `base` are those of its tree."""

    folder: Path
    repository: str
    prefix: str
    base: str

    @property
    def task_id(self) -> str:
        """The ID of the run."""
        return self.folder.name

    @property
    def changes(self) -> KeptChanges:
        """The changes, once they are saved."""
        return KeptChanges(self.folder, self.base)

    @property
    def has_begun(self) -> bool:
        """Whether its agent may have started, so that there may be lines or changes."""
        has_lines = self._journal.exists() and self._journal.stat().st_size > 0
        return has_lines or self._tree.path.exists() or self.changes.commit is not None

    @property
    def is_unsaved(self) -> bool:
        """Whether there may be changes that are not saved."""
        return self.changes.commit is None and self._tree.is_whole

    @property
    def has_changes(self) -> bool:
        """Whether there are changes that a sidecar may still fetch."""
        return self.is_unsaved or self.changes.commit not in (None, self.base)

    @property
    def has_result(self) -> bool:
        """Whether its agent ended, so that the last line of the journal is the result. Blocking."""
        if not self._journal.exists():
            return False
        journal = NodeJournal(self._journal)
        try:
            return any(line.startswith(RESULT) for line in journal.read(journal.last - 1, 1, 1))
        finally:
            journal.close()

    @property
    def problem(self) -> str | None:
        """Why the last attempt to save the changes failed."""
        return self._problem.read_text() if self._problem.exists() else None

    def save(self) -> bool:
        """Save the changes and remove the tree; return False if that must be tried again. Blocking."""
        tree = self._tree
        try:
            if self.is_unsaved:
                self.changes.save(tree, self.task_id)
            tree.remove()
            self._problem.unlink(missing_ok=True)
        except Exception as error:
            with contextlib.suppress(OSError):  # the disk may be full
                self._problem.write_text(str(error))
            return False
        finally:
            tree.release()
        return True

    @property
    def _journal(self) -> Path:
        return self.folder / "journal.ndjson"

    @property
    def _tree(self) -> NodeTree:
        return NodeTree(self.folder.parents[1], self.folder, self.repository, self.prefix, self.base)

    @property
    def _problem(self) -> Path:
        return self.folder / "unsaved"
