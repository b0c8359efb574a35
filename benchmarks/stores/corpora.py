"""Make the tasks to list once, and keep them in `.cache`, which git ignores."""

from pathlib import Path
from typing import Final

from benchmarks.processes import REPOSITORY
from benchmarks.stores.listing import LISTED
from sidecar.corpus.agents import claude
from tests.generator import realistic, sized

_CACHE: Final = REPOSITORY / ".cache" / "benchmarks"


def many_sizes() -> Path:
    """Return 1,000 tasks of realistic sizes: 0.7 GB."""
    root = _CACHE / "sizes-2"
    if not _is_whole(root):
        realistic(root, 1_000, eras=LISTED)
        _note(root)
    return root


def many_tasks() -> Path:
    """Return 20,000 tasks of 5 KB."""
    root = _CACHE / "tasks-2"
    if not _is_whole(root):
        sized(root, 20_000, 5_000, eras=LISTED)
        _note(root)
    return root


def claude_sessions() -> Path:
    """Return 5,000 sessions of Claude Code: 1 GB."""
    root = folder("claude-1")
    if not _is_whole(root):
        claude.sized(root, 5_000, 200_000)
        _note(root)
    return root


def folder(name: str) -> Path:
    """Return a folder that is kept between runs."""
    return _CACHE / name


def _is_whole(root: Path) -> bool:
    return (root / "whole").exists()


def _note(root: Path) -> None:
    (root / "whole").touch()
