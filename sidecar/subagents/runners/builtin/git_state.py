"""The state of a git work tree, as one line each: bounded in time and size, and without hooks."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

SECONDS = 3.0
MAX_CHANGES = 20
MAX_LINE_CHARS = 200
_ASKING = (
    "git",
    "--no-optional-locks",
    *("-c", "core.fsmonitor=false"),  # else a program that the repository names is started
    *("-c", f"core.hooksPath={os.devnull}"),
)
_STATUS = ("status", "--short", "--branch", "--untracked-files=normal", "--ignore-submodules=all")


def git_state(root: Path) -> list[str]:
    """Return lines on the branch, the last commit and the changes; none without git or a repository."""
    status = _asked(root, _STATUS)
    if not status:
        return []
    branch, *changes = status
    commit = [f"- last commit: {line}" for line in _asked(root, ("log", "-1", "--format=%h %s"))]
    return [
        f"- git: {branch.removeprefix('## ')}",
        *(f"- last commit: {line}" for line in commit),
        *_change_lines(changes),
    ]


def _change_lines(changes: Sequence[str]) -> Iterator[str]:
    if not changes:
        yield "- changes that are not committed: none"
        return
    yield f"- changes that are not committed: {len(changes)}"
    yield from (f"  {line}" for line in changes[:MAX_CHANGES])
    if len(changes) > MAX_CHANGES:
        yield f"  and {len(changes) - MAX_CHANGES} more"


def _asked(root: Path, arguments: Sequence[str]) -> list[str]:
    try:
        done = subprocess.run(
            [*_ASKING, *arguments],
            cwd=root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
            check=True,
        )
    except (OSError, subprocess.SubprocessError):  # no git, no repository, or one that is too large to ask
        return []
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    return [line[:MAX_LINE_CHARS] for line in lines]
