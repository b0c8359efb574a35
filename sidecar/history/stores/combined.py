"""A root that holds sessions in more than one format, such as those of Cline before and since version 4."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sidecar.api.stored.tasks import Rules
from sidecar.history.stores.contract import (
    Evidence,
    Fingerprints,
    Keys,
    Kind,
    Messages,
    OpenedTask,
    Root,
    SharedProblem,
    Store,
    Touched,
)
from sidecar.history.stores.index_row import IndexRow, ReadRows
from sidecar.history.stores.parallel import Parallel, nothing, sequential

if TYPE_CHECKING:
    from sidecar.changes.file_change import FileChange


class CombinedStore(Store):
    """The members of several stores of one root; the first store that has a key owns it."""

    def __init__(self, root: Root, parts: Sequence[Store]) -> None:
        self.root = root
        self.parts = parts
        self.has_children = any(part.has_children for part in parts)
        self.kinds = max((part.kinds for part in parts), key=len)
        self.shared_folders = [*dict.fromkeys(name for part in parts for name in part.shared_folders)]
        self._owners: dict[str, Store] = {}

    def members(self) -> Keys:
        """List the members of all parts."""
        owners = {key: part for part in reversed(self.parts) for key in part.members()}
        self._owners = owners
        return [*owners]

    def inside(self, key: str) -> Keys:
        """Ask the owner."""
        return self._owner(key).inside(key)

    def unlistable(self) -> str | None:
        """Return why parts cannot be listed."""
        return "; ".join(filter(None, (part.unlistable() for part in self.parts))) or None

    def evidence(self) -> Sequence[Evidence] | None:
        """Return the places of all parts; None if one does not know them."""
        found = [part.evidence() for part in self.parts]
        return None if None in found else [place for places in found for place in places or ()]

    def problems(self) -> Sequence[SharedProblem]:
        """Return the problems of all parts."""
        return [found for part in self.parts for found in part.problems()]

    def unlisted(self) -> Sequence[SharedProblem]:
        """Return the folders that no part could read."""
        return [found for part in self.parts for found in part.unlisted()]

    def is_member(self, key: str, rules: Rules) -> bool:
        """Return whether the owner lists a key."""
        return self._owner(key).is_member(key, rules)

    def existing(self, keys: Collection[str]) -> Keys:
        """Return the keys that exist."""
        there = {key for part, own in self._grouped(keys) for key in part.existing(own)}
        return [key for key in keys if key in there]

    def unsure(self, rows: Mapping[str, IndexRow]) -> Collection[str]:
        """Return the rows of which a part is not sure."""
        return [key for part in self.parts for key in part.unsure(rows)]

    def is_incomplete(self) -> bool:
        """Return whether that of a part is."""
        return any(part.is_incomplete() for part in self.parts)

    def hidden(self, keys: Collection[str]) -> Collection[str]:
        """Return the keys that a part may hold."""
        return [key for part in self.parts for key in part.hidden(keys)]

    def is_surely_task(self, key: str) -> bool:
        """Ask the owner."""
        return self._owner(key).is_surely_task(key)

    def members_version(self) -> object:
        """Return the versions of all parts."""
        return tuple(part.members_version() for part in self.parts)

    def fingerprints(
        self, keys: Keys, parallel: Parallel = sequential, meanwhile: Callable[[], None] = nothing
    ) -> Fingerprints:
        """Take the fingerprints of each part's keys."""
        meanwhile()
        found = {
            key: mark for part, own in self._grouped(keys) for key, mark in part.fingerprints(own).items()
        }
        return {key: found[key] for key in keys}

    def shared(self) -> Mapping[str, bytes]:
        """Return the entries in the lists of all parts."""
        return {key: entry for part in self.parts for key, entry in part.shared().items()}

    def rows(self, keys: Keys, rules: Rules, now: int) -> ReadRows:
        """Read the rows of each part."""
        return {
            key: row for part, own in self._grouped(keys) for key, row in part.rows(own, rules, now).items()
        }

    def damaged_row(self, key: str, rules: Rules, now: int) -> IndexRow:
        """Ask the owner."""
        return self._owner(key).damaged_row(key, rules, now)

    def open(self, key: str, now: int) -> OpenedTask | None:
        """Ask the owner."""
        return self._owner(key).open(key, now)

    def size(self, key: str) -> int:
        """Ask the owner."""
        return self._owner(key).size(key)

    def location(self, key: str) -> str:
        """Ask the owner."""
        return self._owner(key).location(key)

    @contextmanager
    def open_messages(self, key: str, kind: Kind) -> Iterator[Messages]:
        """Open the messages of the owner. Raises StorageError."""
        with self._owner(key).open_messages(key, kind) as messages:
            yield messages

    def message_version(self, key: str) -> str | None:
        """Ask the owner."""
        return self._owner(key).message_version(key)

    def touched_files(self, key: str) -> "list[FileChange]":
        """Ask the owner."""
        return self._owner(key).touched_files(key)

    def mentions(self, key: str, needles: Collection[bytes]) -> bool:
        """Ask the owner."""
        return self._owner(key).mentions(key, needles)

    def folder_of(self, key: str) -> str | None:
        """Ask the owner."""
        return self._owner(key).folder_of(key)

    def is_always_watched(self, key: str) -> bool:
        """Ask the owner."""
        return self._owner(key).is_always_watched(key)

    def touched(self, parts: Sequence[str]) -> Touched | None:
        """Return the first meaning that a part knows of a path."""
        return next(filter(None, (part.touched(parts) for part in self.parts)), None)

    def _owner(self, key: str) -> Store:
        known = self._owners.get(key)
        if known is not None:
            return known
        return next((part for part in self.parts if part.existing([key])), self.parts[-1])

    def _grouped(self, keys: Collection[str]) -> list[tuple[Store, Keys]]:
        groups: defaultdict[int, Keys] = defaultdict(list)
        for key in keys:
            groups[self.parts.index(self._owner(key))].append(key)
        return [(self.parts[place], own) for place, own in groups.items()]
