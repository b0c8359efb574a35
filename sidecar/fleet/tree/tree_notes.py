"""Notes for the log of a run about its tree: what is missing from it, and what is not brought back."""

from collections.abc import Sequence

from sidecar.fleet.tree.node_tree import NodeTree

_SUBMODULES = (
    "Submodules are not sent to a cluster: {names}. They are empty on the node, and what is "
    "written there is not brought back.\n"
)
_LARGE_FILES = (
    "Files of Git LFS are not sent to a cluster: {names}. The node has their pointers, and what the agent "
    "writes to them is brought back as a full file, not as a pointer.\n"
)
_OPENED = (
    "The agent created git repositories in {names}. Their files are part of the changes, but their "
    "histories are not.\n"
)
_LEFT_OUT = (
    "Git on the node could not store {names}, or they are larger than 1 GiB. These files are not brought "
    "back as they were at the end.\n"
)
_MOST_NAMES = 10


def missing(tree: NodeTree) -> list[str]:
    """Return what a new tree lacks. Blocking."""
    found = ((_SUBMODULES, tree.submodules()), (_LARGE_FILES, tree.large_files()))
    return [text.format(names=_named(names)) for text, names in found if names]


def opened(tree: NodeTree) -> list[str]:
    """Return what is not brought back from a saved tree."""
    found = ((_OPENED, tree.opened), (_LEFT_OUT, tree.left_out))
    return [text.format(names=_named(names)) for text, names in found if names]


def _named(names: Sequence[str]) -> str:
    rest = len(names) - _MOST_NAMES
    shown = [name.encode("utf-8", "backslashreplace").decode() for name in names[:_MOST_NAMES]]
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")
