"""The refs `refs/sidecar/<task id>` of a repository, each with the changes of one run.

Their commits have the time of the node that made them, whose clock may be wrong by any amount. So each ref
has a log with the time at which it arrived, by the clock of this machine, the commit of the workspace at
the launch, and the runs whose changes it started with.
"""

import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sidecar.subagents.runners.remote.git import GitError, git, line

PREFIX = "refs/sidecar/"
_DAY_SECONDS = 86_400
_NOTE = re.compile(r"changes since ([0-9a-f]{40})(?: with ((?:[0-9a-f-]{36} ?)+))?")


@dataclass(frozen=True)
class RunChanges:
    """The commit of a run's changes; that of its workspace, None if unknown; the runs that it includes."""

    run: str
    commit: str
    workspace: str | None = None
    earlier: tuple[str, ...] = ()


def set_ref(root: Path, task_id: str, commit: str, workspace: str, earlier: Sequence[str] = ()) -> None:
    """Make a commit the changes of a run. Blocking.

    `workspace` is the commit of its workspace, and `earlier` are the runs whose changes it started with.
    """
    note = " ".join([f"changes since {workspace}", *(["with", *earlier] if earlier else [])])
    git(root, "update-ref", "--create-reflog", "-m", note, f"{PREFIX}{task_id}", commit)


def find(root: Path, task_id: str) -> RunChanges | None:
    """Return the changes of a run, None if it has none. Raises GitError. Blocking."""
    ref = f"{PREFIX}{task_id}"
    try:
        commit = line(root, "rev-parse", "--verify", "--quiet", ref)
    except GitError as error:
        if error.code is None:
            raise
        return None
    try:
        notes = line(root, "log", "--walk-reflogs", "--format=%gs", ref, "--").splitlines()
    except GitError:  # its commit is missing
        notes = []
    noted = next(filter(None, map(_NOTE.fullmatch, notes)), None)
    if noted is None:
        return RunChanges(task_id, commit)
    return RunChanges(task_id, commit, noted[1], tuple((noted[2] or "").split()))


def prune_old(root: Path, days: float, newest: float = math.inf) -> list[str]:
    """Remove the refs that are older than `days`; return them. Blocking.

    `newest` is the time of a new commit of another machine, so that a local clock that jumps ahead removes
    nothing.
    """
    now = time.time()
    limit = min(now, newest) - days * _DAY_SECONDS
    doubtful = [(ref, at) for ref, at in _refs(root) if not limit <= at <= now]
    return _removed(root, [ref for ref, at in doubtful if _came_at(root, ref, at) < limit])


def prune_merged(root: Path) -> list[str]:
    """Remove the refs whose commits the checked-out branch contains; return them. Blocking.

    A resumed run starts from that branch, and needs the others.
    """
    try:
        head = line(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    except GitError as error:
        if error.code is None:
            raise
        return []  # no commit yet
    return _removed(
        root, line(root, "for-each-ref", f"--merged={head}", "--format=%(refname)", PREFIX).splitlines()
    )


def _refs(root: Path) -> list[tuple[str, int]]:
    """Return the refs with the times of their commits."""
    listed = line(root, "for-each-ref", "--format=%(refname) %(committerdate:unix)", PREFIX).splitlines()
    pairs = (each.rsplit(" ", 1) for each in listed)
    return [(ref, int(at)) for ref, at in pairs if at.isdecimal()]


def _came_at(root: Path, ref: str, committed_at: int) -> int:
    """Return when a ref arrived on this machine; the time of its commit if that is unknown."""
    newest = line(root, "log", "--walk-reflogs", "-1", "--format=%gd", "--date=unix", ref, "--")
    at = newest.rpartition("@{")[2].rstrip("}")
    return int(at) if at.isdecimal() else committed_at


def _removed(root: Path, refs: Sequence[str]) -> list[str]:
    if refs:
        git(root, "update-ref", "--stdin", stdin="".join(f"delete {ref}\n" for ref in refs).encode())
    return list(refs)
