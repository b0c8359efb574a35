"""Replace the path of a run's tree on its node by that of the workspace, and the reverse. No I/O."""

from typing import Any


class PathMap:
    """A tree on a node, and the directory on this machine that it is a copy of."""

    def __init__(self, tree: str, root: str) -> None:
        self._tree = tree.rstrip("/")
        self._root = root.rstrip("/")

    def here(self, value: Any) -> Any:
        """Return a value in which every path below the tree is one below the workspace."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            return {key: self.here(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.here(each) for each in value]
        return value

    def _text(self, text: str) -> str:
        if self._tree and self._tree in text:
            return text.replace(self._tree, self._root)
        return text

    def event(self, event: dict[str, Any]) -> dict[str, Any]:
        """Return an event for this machine: tool calls name files of the workspace; texts stay unchanged."""
        return self.here(event) if event.get("type") == "tool" else event
