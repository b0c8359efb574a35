"""The tasks that are listed, made once and kept in `.cache`, which git passes over."""

from pathlib import Path
from typing import Final

from benchmarks.listing import LISTED
from benchmarks.processes import REPOSITORY
from tests.generator import realistic, sized

_CACHE: Final = REPOSITORY / ".cache" / "benchmarks"


def many_sizes() -> Path:
    """1,000 tasks of the sizes that people's have: 0.7 GB."""
    root = _CACHE / "sizes-2"
    if not _is_whole(root):
        realistic(root, 1_000, eras=LISTED)
        _note(root)
    return root


def many_tasks() -> Path:
    """20,000 tasks of 5 KB."""
    root = _CACHE / "tasks-2"
    if not _is_whole(root):
        sized(root, 20_000, 5_000, eras=LISTED)
        _note(root)
    return root


def _is_whole(root: Path) -> bool:
    return (root / "whole").exists()


def _note(root: Path) -> None:
    (root / "whole").touch()
