"""The names of roots. A folder that has several names through links counts once."""

import contextlib
import os
from collections.abc import Iterable, Sequence

from sidecar.api.errors import InvalidParams
from sidecar.history.stores.contract import Root
from sidecar.history.stores.registry import describe_root


class RootNames:
    """The roots of a history; one that is named several times is known by its first name."""

    def __init__(self, roots: Sequence[Root]) -> None:
        self._by_identity: dict[object, str] = {}
        self._by_name = {
            root.path: self._by_identity.setdefault(_identity(root.path), root.path) for root in roots
        }
        self.roots = [root for root in dict.fromkeys(roots) if self._by_name[root.path] == root.path]

    @property
    def all(self) -> list[str]:
        """Return every name that was given."""
        return [*self._by_name]

    def root_at(self, path: str) -> str | None:
        """Return the root that is the folder at `path`, whatever its name; None if it is none of them."""
        return self._by_name.get(path) or self._by_identity.get(_identity(path))

    def others(self, root: str, more: Iterable[str] = ()) -> list[str]:
        """Return the other names of a root, those among `more` included."""
        names = dict.fromkeys([*self._by_name, *more])
        return [name for name in names if name != root and self.root_at(name) == root]

    def named(self, path: str, member: str) -> str:
        """Return the root that a client means by `path`; InvalidParams naming the member if none."""
        with contextlib.suppress(RuntimeError):  # the home of a user who does not exist
            path = describe_root(path).path
        if path not in self._by_name:
            raise InvalidParams(f"{member}: {path} is not a root of this server; name it at initialize")
        return self._by_name[path]

    def selected(self, paths: Sequence[str] | None) -> Sequence[str]:
        """Return the roots at `paths` from a client, each once; None means all. Raises InvalidParams."""
        if paths is None:
            return [root.path for root in self.roots]
        return [*dict.fromkeys(self.named(path, "roots") for path in paths)]


def _identity(path: str) -> object:
    """Return a value that is equal for all names of a folder; the name itself if the folder is missing."""
    try:
        found = os.stat(path)  # noqa: PTH116 (roots keep texts)
    except (OSError, ValueError):
        return path
    return found.st_dev, found.st_ino
