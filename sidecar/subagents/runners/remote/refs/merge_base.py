"""Find what the changes of a run are relative to, when they are merged into the start of another run."""

import re
from pathlib import Path

from sidecar.subagents.runners.remote.git import GitError, git, line
from sidecar.subagents.runners.remote.refs import run_refs
from sidecar.subagents.runners.remote.refs.run_refs import RunChanges

_SUBJECT = re.compile(r"([0-9a-f]{40}) Changes of run ([0-9a-f-]{36})")


def merge_base(root: Path, start: str, changes: RunChanges) -> str:
    """Return the base of a merge of `changes` into the commit `start`. Raises GitError. Blocking.

    It is the workspace of the run. If the run started with changes of earlier runs and `start` has those too,
    for example from another run that resumed the same one, it is the commit that the run started from.
    """
    if changes.workspace is None:
        return line(root, "merge-base", start, changes.commit)
    own = _merged_runs(root, changes.workspace, changes.commit)
    merged = [run for run in own if run in changes.earlier]
    if not merged:
        return changes.workspace
    there = set(_merged_runs(root, changes.workspace, start))
    there |= {run for each in there for run in _earlier(root, each)}
    if all(run in there or _is_in(root, run, start) for run in merged):
        return own[merged[0]]
    return changes.workspace


def is_ancestor(root: Path, older: str, newer: str) -> bool:
    """Return whether a commit is another one or in its history. Blocking."""
    try:
        git(root, "merge-base", "--is-ancestor", older, newer)
    except GitError:
        return False
    return True


def _merged_runs(root: Path, since: str, commit: str) -> dict[str, str]:
    """Return the commits with the changes of runs in a history, the newest first, by run."""
    subjects = line(root, "log", "--topo-order", "--format=%H %s", commit, f"^{since}", "--").splitlines()
    found = filter(None, map(_SUBJECT.fullmatch, subjects))
    return {each[2]: each[1] for each in found}


def _earlier(root: Path, run: str) -> tuple[str, ...]:
    try:
        changes = run_refs.find(root, run)
    except GitError:
        return ()
    return () if changes is None else changes.earlier


def _is_in(root: Path, run: str, start: str) -> bool:
    """Return whether a history has the changes of a run whose agent committed all of them itself."""
    try:
        changes = run_refs.find(root, run)
    except GitError:
        return False
    return changes is not None and is_ancestor(root, changes.commit, start)
