"""What the log of a run says about its tree: what is missing there, and what does not come back."""

from collections.abc import Sequence

from sidecar.fleet.node_tree import NodeTree

_SUBMODULES = (
    "Submodules are not sent to a cluster: {names}. They are empty here, and what is written there does not "
    "come back.\n"
)
_LARGE_FILES = (
    "Files of Git LFS are not sent to a cluster: {names}. Their pointers are here instead. What the agent "
    "writes there comes back whole, not as a pointer.\n"
)
_OPENED = (
    "The agent made git repositories in {names}. Their files are part of the changes, their histories "
    "are not.\n"
)
_MOST_NAMES = 10


def missing(tree: NodeTree) -> list[str]:
    """Return what a new tree lacks. Blocking."""
    found = ((_SUBMODULES, tree.submodules()), (_LARGE_FILES, tree.large_files()))
    return [text.format(names=_named(names)) for text, names in found if names]


def opened(tree: NodeTree) -> list[str]:
    """Return what a saved tree does not give back."""
    return [_OPENED.format(names=_named(tree.opened))] if tree.opened else []


def _named(names: Sequence[str]) -> str:
    rest = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {rest} more" if rest > 0 else "")
