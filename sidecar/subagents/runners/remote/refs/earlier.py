"""Start a resumed run from its workspace together with the changes of the runs that it resumes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import structs

from sidecar.storage.scratch import scratch
from sidecar.subagents.runners.remote.git import WITHOUT_SETTINGS, GitError, git, line
from sidecar.subagents.runners.remote.job import Tree
from sidecar.subagents.runners.remote.refs import run_refs
from sidecar.subagents.runners.remote.refs.merge_base import is_ancestor, merge_base
from sidecar.subagents.runners.remote.refs.run_refs import RunChanges

_MOST_NAMES: Final = 5
_USAGE: Final = 129
"""The exit code of git for options that it does not know."""
_WITH: Final = "This run starts with the changes of run {run}, which the workspace does not have yet.\n"
_WITHOUT: Final = (
    "This run starts without the changes of run {run}, which cannot be merged into the workspace: {reason}. "
    "They are in refs/sidecar/{run}.\n"
)
_ABSENT: Final = (
    "This run starts without the changes of run {run}, unless the workspace has them: refs/sidecar/{run} "
    "does not exist. They have not come back yet, or the ref was removed.\n"
)


def with_changes(tree: Tree, runs: Sequence[str]) -> tuple[Tree, list[str]]:
    """Return the tree to start from, and notices for the run's log. Blocking.

    `tree` is the workspace, and `runs` are the resumed runs with changes, the last first. Their changes are
    merged, the oldest first, unless the workspace or a later run already has them. Changes that conflict are
    left out.
    """
    root, start, notices = Path(tree.root), tree.base, []
    included: list[str] = []
    for run in _separate(root, runs):
        try:
            changes = run_refs.find(root, run)
            if changes is None:
                notices.append(_ABSENT.format(run=run))
                continue
            merged = _merged(root, start, changes)
            _check_folder(root, merged, tree.prefix)
        except GitError as error:
            notices.append(_WITHOUT.format(run=run, reason=_reason(error)))
            continue
        if merged != start:
            notices.append(_WITH.format(run=run))
        start = merged
        included += [run, *changes.earlier]
    if start == tree.base:
        return tree, notices
    return structs.replace(tree, base=start, workspace=tree.base, earlier=tuple(included)), notices


def _separate(root: Path, runs: Sequence[str]) -> list[str]:
    """Return the runs, the oldest first, without those whose changes a later one includes."""
    covered: set[str] = set()
    separate: list[str] = []
    for run in runs:
        if run not in covered:
            separate.insert(0, run)
            try:
                changes = run_refs.find(root, run)
            except GitError:
                continue  # reported when it is merged
            covered |= set() if changes is None else set(changes.earlier)
    return separate


def _merged(root: Path, start: str, changes: RunChanges) -> str:
    """Return a commit on `start` with the changes, or `start` if it has them. Raises GitError."""
    if is_ancestor(root, changes.commit, start):
        return start
    base = merge_base(root, start, changes)
    trees = [line(root, "rev-parse", f"{each}^{{tree}}") for each in (base, start, changes.commit)]
    tree = _merged_tree(root, *trees)
    if tree == trees[1]:
        return start
    return _commit(root, tree, f"Changes of run {changes.run}", start)


def _merged_tree(root: Path, base: str, ours: str, theirs: str) -> str:
    """Return the tree of a merge. Raises GitError.

    It works in an empty repository that borrows the objects: attributes and settings of the user's could
    choose a merge driver, which may drop changes or run a program.
    """
    with scratch() as folder:
        repository = folder / "merge.git"
        git(folder, "init", "--quiet", "--bare", str(repository), env=WITHOUT_SETTINGS)
        objects = root / line(root, "rev-parse", "--git-path", "objects")
        env = {**WITHOUT_SETTINGS, "GIT_DIR": str(repository), "GIT_OBJECT_DIRECTORY": str(objects)}
        # Commits of their own choose the base, for which older versions of git have no option.
        common = line(folder, "commit-tree", base, "-m", "Base", env=env)
        sides = [
            line(folder, "commit-tree", tree, "-p", common, "-m", "Side", env=env) for tree in (ours, theirs)
        ]
        options = ("--write-tree", "--name-only", "--no-messages", "-z")
        return git(folder, "merge-tree", *options, *sides, env=env).decode().rstrip("\0\n")


def _check_folder(root: Path, commit: str, prefix: str) -> None:
    """Raise GitError if the folder in which the run works is not a folder of the commit."""
    if prefix and line(root, "ls-tree", "-d", commit, "--", f":(top,literal){prefix}").split()[1:2] != [
        "tree"
    ]:
        raise GitError(f"they remove the folder {prefix!r}, in which the run works")


def _commit(root: Path, tree: str, message: str, parent: str) -> str:
    """Return a commit. Two runs that start alike have the same one, which git then finds as their base."""
    at = line(root, "log", "-1", "--format=@%ct +0000", parent)
    dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    return line(root, "commit-tree", tree, "-p", parent, "-m", message, env=dates)


def _reason(error: GitError) -> str:
    """Name the files that conflict, or else the problem."""
    if error.code == _USAGE:
        return "this takes git 2.38 or newer"
    names = [each for each in error.stdout.decode("utf-8", "replace").split("\0")[1:] if each]
    if not names:
        return str(error)
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"both changed {', '.join(names[:_MOST_NAMES])}{more}"
