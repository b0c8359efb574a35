"""What to do when the disk of a node is full."""

import re
from typing import Final

_CAUSE: Final = r"(?:No space left on device|Disk quota exceeded)"
_FULL: Final = re.compile(rf"(?:^|: ){_CAUSE}\s*(?:;|$)|\[Errno \d+\] {_CAUSE}", re.MULTILINE)
"""The cause where git and Python write it, not as part of the name of a file."""
_REMEDY: Final = (
    "; make room on the disk of the node, for example with: subagent-sidecar fleet gc, or place the run on "
    "another node"
)


def is_full(problem: str) -> bool:
    """Return whether a text says that a disk is full."""
    return _FULL.search(problem) is not None


def with_remedy(problem: str) -> str:
    """Return what went wrong on a node, with the remedy if its disk is full."""
    return problem + _REMEDY if is_full(problem) and _REMEDY not in problem else problem
