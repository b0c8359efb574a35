"""Save the files of a tree when the node's objects of its base are damaged.

The commit has the base as its parent, as always, but the bundle has all files, because nothing of the base
can be read.
"""

import shutil
import time
from pathlib import Path

from sidecar.fleet.tree.private_git import PrivateGit
from sidecar.subagents.runners.remote.git import bundle_head, pack

_WHO = "Subagent Sidecar <sidecar@localhost>"


def begin(private: PrivateGit, start: Path) -> list[str]:
    """Create an index with the entries of the index `start`; return them. Blocking.

    It has no times of files, so that git reads each of them.
    """
    if not start.exists():
        return []
    copied = private.folder / "index-at-start"
    shutil.copyfile(start, copied)
    rows = private.listed("ls-files", "--stage", index=copied)
    private.each(("update-index", "-z", "--index-info"), rows)
    return rows


def save(private: PrivateGit, base: str, task_id: str) -> tuple[str, bytes]:
    """Commit the index; return the commit and its bundle. Raises GitError. Blocking."""
    # Entries without a file, those that a sparse checkout left out, have no object here.
    tree = private.run("write-tree", "--missing-ok").decode().strip()
    by = f"{_WHO} {int(time.time())} +0000"
    text = f"tree {tree}\nparent {base}\nauthor {by}\ncommitter {by}\n\nChanges of run {task_id}\n"
    commit = private.run("hash-object", "-t", "commit", "-w", "--stdin", stdin=text.encode()).decode().strip()
    (private.folder / "shallow").write_text(f"{commit}\n")
    data = pack(private.folder, [commit], ("--missing=allow-any",), private.environment)
    return commit, bundle_head(f"refs/sidecar/{task_id}", commit, [base]) + data
