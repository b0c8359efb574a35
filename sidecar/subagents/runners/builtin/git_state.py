"""Describe the branch and the last commit of a git repository, bounded in time and size.

A repository's configuration can name programs that git runs: content filters, monitors of the work tree,
signature checks, transports for missing objects. Therefore these commands read neither the work tree nor the
index, verify no signatures and fetch nothing.
"""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

SECONDS = 3.0
MAX_LINE_CHARS = 200
_GIT = (
    *("git", "--no-pager", "--no-optional-locks"),
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
)
_BRANCH = ("symbolic-ref", "--short", "HEAD")
_COMMIT = (
    "log",
    "-1",
    "--no-show-signature",
    "--no-patch",
    "--no-ext-diff",
    "--no-textconv",
    "--format=%h %s",
)
_ENV = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "",  # A partial clone would fetch a missing commit with a program it names.
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}


def git_state(root: Path) -> list[str]:
    """Return lines with the branch and the last commit; an empty list without git or a repository."""
    branch = _output(root, _BRANCH)
    commit = _output(root, _COMMIT)
    if not branch and not commit:
        return []
    return [
        f"- git branch: {branch or 'none (detached HEAD)'}",
        f"- last commit: {commit or 'none'}",
    ]


def _output(root: Path, arguments: Sequence[str]) -> str:
    try:
        done = subprocess.run(
            [*_GIT, *arguments],
            cwd=root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            env={**os.environ, **_ENV},
            check=True,
        )
    except (OSError, subprocess.SubprocessError):  # no git, no repository, no branch or no commit
        return ""
    return " ".join(done.stdout.decode("utf-8", "replace").split())[:MAX_LINE_CHARS]
