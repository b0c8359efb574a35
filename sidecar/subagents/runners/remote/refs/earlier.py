"""Start a resumed run from its workspace together with the changes of the run that it resumes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import structs

from sidecar.subagents.runners.remote.git import GitError, git, line
from sidecar.subagents.runners.remote.job import Tree
from sidecar.subagents.runners.remote.refs import run_refs

_MOST_NAMES: Final = 5
_USAGE: Final = 129
"""The exit code of git for options that it does not know."""
_WITH: Final = "This run starts with the changes of run {run}, which the workspace does not have yet.\n"
_WITHOUT: Final = (
    "This run starts without the changes of run {run}, which cannot be merged into the workspace: {reason}. "
    "They are in {ref}.\n"
)


def with_changes(tree: Tree, runs: Sequence[str]) -> tuple[Tree, str | None]:
    """Return the tree to start from, and a notice for the run's log if earlier changes matter. Blocking.

    `tree` is the workspace, and `runs` are the resumed runs, the last first. Only the last one with a ref
    counts, because it includes the changes of the others. Its changes are merged unless the workspace
    already has them. If they conflict, the run starts from the workspace alone.
    """
    root = Path(tree.root)
    for run in runs:
        found = run_refs.find(root, run)
        if found is not None:
            try:
                start = _merged(root, tree.base, run, *found)
            except GitError as error:
                return tree, _WITHOUT.format(run=run, reason=_reason(error), ref=run_refs.PREFIX + run)
            if start == tree.base:
                return tree, None
            return structs.replace(tree, base=start, workspace=tree.base), _WITH.format(run=run)
    return tree, None


def _merged(root: Path, workspace: str, run: str, base: str, changes: str) -> str:
    """Return a commit on the workspace with the changes, or the workspace if it has them. Raises GitError."""
    if _is_ancestor(root, changes, workspace):
        return workspace
    # Commits of their own choose the base of the merge, for which older versions of git have no option.
    common = _commit(root, f"{base}^{{tree}}", "Base")
    ours, theirs = (_commit(root, f"{each}^{{tree}}", "Side", common) for each in (workspace, changes))
    merged = line(root, "merge-tree", "--write-tree", "--name-only", "--no-messages", ours, theirs)
    if merged == line(root, "rev-parse", f"{workspace}^{{tree}}"):
        return workspace
    return _commit(root, merged, f"Changes of run {run}", workspace)


def _commit(root: Path, tree: str, message: str, *parents: str) -> str:
    given = [part for parent in parents for part in ("-p", parent)]
    return line(root, "commit-tree", tree, *given, "-m", message)


def _is_ancestor(root: Path, older: str, newer: str) -> bool:
    try:
        git(root, "merge-base", "--is-ancestor", older, newer)
    except GitError:
        return False
    return True


def _reason(error: GitError) -> str:
    """Name the files that conflict, or else the problem."""
    if error.code == _USAGE:
        return "this takes git 2.38 or newer"
    _, *names = error.stdout.decode("utf-8", "replace").split("\n")
    names = [name for name in names if name]
    if not names:
        return str(error)
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"both changed {', '.join(names[:_MOST_NAMES])}{more}"
