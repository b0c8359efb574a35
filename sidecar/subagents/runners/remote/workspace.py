"""The sidecar's side of a workspace on a cluster: what is sent, and the changes that are brought back."""

import hashlib
import shutil
import socket
from collections.abc import Iterable, Sequence
from pathlib import Path

from sidecar.api.runs.async_tasks import Changes
from sidecar.storage.scratch import scratch
from sidecar.subagents.runners.contract import RunnerUnavailable
from sidecar.subagents.runners.remote.git import (
    GitError,
    bundle,
    check_complete,
    git,
    is_without_repository,
    line,
    snapshot,
    unbundle,
)
from sidecar.subagents.runners.remote.job import KEEP_DAYS, Tree
from sidecar.subagents.runners.remote.refs import run_refs

_OBJECTS = "--show-object-format"


def prepare(workspace: Path) -> Tree:
    """Commit the workspace as it is, uncommitted files included, without touching refs, index or files.

    Raises RunnerUnavailable with the remedy without a repository. Blocking.
    """
    root = check(workspace)
    with scratch() as folder:
        index = folder / "index"
        own = root / line(root, "rev-parse", "--git-path", "index")
        if own.exists():
            shutil.copy2(own, index)  # git compares its time with those of the files
        try:
            head = [line(root, "rev-parse", "--verify", "--quiet", "HEAD")]
        except GitError:  # no commit yet
            head = []
        try:
            at = line(root, "log", "-1", "--format=@%ct +0000", *head) if head else "@0 +0000"
            base = snapshot(root, index, head, "Workspace with uncommitted files", at=at)
            prefix = line(workspace, "rev-parse", "--show-prefix").rstrip("/")
        except GitError as error:
            raise RunnerUnavailable(
                f"the workspace cannot be committed for the cluster: {error}; {_remedy(str(error))}, or use "
                "placement: local"
            ) from None
    return Tree(root=str(root), prefix=prefix, base=base, repository=_key(root))


def _remedy(problem: str) -> str:
    """Return what to do about a problem of `git add`."""
    if "does not have a commit checked out" in problem:
        return "it is a repository of its own: commit something there, or name it in .gitignore"
    return "correct that"


def check(workspace: Path) -> Path:
    """Return the top of the repository of a workspace. Raises RunnerUnavailable with the remedy. Blocking."""
    try:
        root, _, objects = line(workspace, "rev-parse", "--show-toplevel", _OBJECTS).rpartition("\n")
    except GitError as error:
        problem = f"{str(workspace)!r}: {error}; correct that"
        if is_without_repository(error):
            problem = f"{str(workspace)!r} is not in a git repository; run git init there"
        raise _unfit(problem) from None
    if objects == "sha256":
        raise _unfit(f"{root!r} is a SHA-256 repository, which cannot be sent; use one with SHA-1")
    return Path(root)


def _unfit(problem: str) -> RunnerUnavailable:
    return RunnerUnavailable(
        f"a run on a cluster gets its workspace through git, but {problem}, or use placement: local"
    )


def packed(tree: Tree, known: Iterable[str]) -> bytes:
    """Return the bundle of the base without what the node has; b"" if it has the base. Blocking."""
    root = Path(tree.root)
    listed = list(dict.fromkeys(known))
    if tree.base in listed:
        return b""
    return bundle(root, f"refs/bases/{tree.base}", tree.base, _present(root, listed))


def bring_back(tree: Tree, task_id: str, commit: str, data: bytes, keep_days: float = KEEP_DAYS) -> Changes:
    """Set refs/sidecar/<id> to the commit of a run's changes; return what it changed. Blocking.

    Removes the refs of runs that are older than `keep_days`.
    """
    root, sent = Path(tree.root), [tree.base]
    if data:
        with scratch() as folder:
            file = folder / "changes.bundle"
            file.write_bytes(data)
            sent = unbundle(root, file)
    if commit not in sent:
        raise GitError("the node sent changes without their commit")
    if data:  # a ref to a commit that lacks objects would break `git gc` in the user's repository
        check_complete(root, commit, tree.base)
    run_refs.prune_old(root, keep_days, int(line(root, "log", "-1", "--format=%ct", commit)))
    run_refs.set_ref(root, task_id, commit, tree.workspace or tree.base, tree.earlier)
    counts = git(root, "diff", "--numstat", "-z", "--no-renames", tree.base, commit)
    return _changes(counts.decode("utf-8", "surrogateescape").split("\0")[:-1])


def _changes(rows: Sequence[str]) -> Changes:
    """Return the sums of `git diff --numstat -z`, which counts no lines of binary files."""
    numbers = [row.split("\t")[:2] for row in rows]
    counted = [(int(added), int(deleted)) for added, deleted in numbers if added != "-"]
    uncounted = len(numbers) - len(counted)
    return Changes(
        files=len(numbers),
        additions=sum(added for added, _ in counted),
        deletions=sum(deleted for _, deleted in counted),
        uncounted_files=uncounted or None,
    )


def _present(root: Path, commits: Sequence[str]) -> list[str]:
    """Return the commits that this repository has too."""
    if not commits:
        return []
    asked = "".join(f"{commit}\n" for commit in commits).encode()
    answers = git(root, "cat-file", "--batch-check", stdin=asked).decode().splitlines()
    return [
        commit for commit, answer in zip(commits, answers, strict=True) if answer.split()[1:2] == ["commit"]
    ]


def _key(root: Path) -> str:
    """Return the name of a repository's cache on the nodes."""
    common = (root / line(root, "rev-parse", "--git-common-dir")).resolve()
    return hashlib.sha256(f"{socket.gethostname()}\0{common}".encode()).hexdigest()[:32]
