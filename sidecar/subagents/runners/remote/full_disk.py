"""What to do when the disk of a node is full."""

from typing import Final

_FULL: Final = ("No space left on device", "Disk quota exceeded")
_REMEDY: Final = (
    "; make room on the disk of the node, for example with: subagent-sidecar fleet gc, or place the run on "
    "another node"
)


def is_full(problem: str) -> bool:
    """Return whether a text says that a disk is full."""
    return any(each in problem for each in _FULL)


def with_remedy(problem: str) -> str:
    """Return what went wrong on a node, with the remedy if its disk is full."""
    return problem + _REMEDY if is_full(problem) and _REMEDY not in problem else problem
