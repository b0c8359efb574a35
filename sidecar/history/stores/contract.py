"""The interface between the catalog and the formats in which products store sessions.

The steps are discover, members, row, messages, appended part. A `StoreFamily` finds roots and opens a `Store`
for each. The store lists its *members*, one for each session, under a key that is the task's ID. A member may
be a folder, a file that grows, or rows of a database. The catalog reads it again only when its *fingerprint*
changes.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import msgspec

from sidecar.api.stored.tasks import Problem, Product, Provenance, Rules, StoredMessage, TaskInfo
from sidecar.history.stores.index_row import IndexRow, ReadRows
from sidecar.history.stores.parallel import Parallel, nothing, sequential


class Root(msgspec.Struct, frozen=True):
    """An absolute path that holds sessions; `read_only` marks a foreign one, `product` its owner if known.

    `copies` is the folder for the kept copies of its sessions, which may not exist; empty for none.
    """

    path: str
    read_only: bool = True
    product: Product | None = None
    copies: str = ""


if TYPE_CHECKING:
    from sidecar.changes.file_change import FileChange
    from sidecar.history.stores.editors import Machine

Keys = list[str]
Fingerprints = Mapping[str, int]
"""Fingerprints of members, by key."""
Kind = Literal["ui", "api"]
"""Messages for the user or for the model. A store with one kind returns it for both."""
Evidence = tuple[str, int]
"""A path, and how many levels of folders below it count; 0 for the path itself only."""
NOT_THERE = object()
"""The version of a root that does not exist."""


class OpenedTask(NamedTuple):
    """One task read from disk, with the source of each field."""

    info: TaskInfo
    provenance: dict[str, Provenance]


class SharedProblem(NamedTuple):
    """Something wrong with a file that holds several sessions, at `path`."""

    path: str
    problem: Problem


class Touched(NamedTuple):
    """The meaning of a changed path: a member to check, or a list that members share.

    `folder` is set if the path is the member's own folder, which needs its own watch.
    """

    key: str | None
    folder: bool = False


class Messages(Protocol):
    """The open messages of one member."""

    @property
    def total(self) -> int:
        """Return the number of messages."""

    def read(self, start: int, end: int) -> list[StoredMessage]:
        """Read the messages from index `start` up to, but not including, `end`."""

    def since(self, start: int = 0) -> Iterator[StoredMessage]:
        """Iterate over the messages from index `start` on, one in memory at a time.

        Used to read an appended part: a store of growing files remembers where messages start.
        """


class Store(Protocol):
    """The sessions of one root in one format. Read-only: never locks or writes files.

    Subclasses may keep the methods with a body. No method except `open_messages` raises for damaged,
    missing or unreadable files. The catalog calls from one thread at a time, except for
    `unlisted`, `open_messages`, `touched_files` and `mentions`, which any thread may call.
    """

    root: Root
    has_children: bool = False
    """Whether rows may have `child_of`, which makes them child sessions of another row."""
    kinds: Sequence[Kind] = ("ui",)
    """The kinds of messages that differ from each other."""
    relates: bool = False
    """Whether a row depends on other members, so that reading its member alone does not give all values."""

    # Members

    def members(self) -> Keys:
        """List the keys of possible members, unopened; the catalog calls `is_member` for new ones."""

    def each_member(self) -> Iterable[str]:
        """Yield the keys that `members` lists; a store of many members need not hold all at a time."""
        return self.members()

    def holds(self, key: str, member: str) -> None:
        """Learn that a member holds the task with this key, which is not a member itself."""
        return

    def inside(self, key: str) -> Keys:
        """List the keys of the tasks that a member holds besides itself, for the search index."""
        return []

    def unlistable(self) -> str | None:
        """Return why the members cannot be listed, such as "Permission denied"; None if they can."""
        return None

    def problems(self) -> Sequence[SharedProblem]:
        """Return what is wrong with files that hold several sessions, for diagnosis."""
        return ()

    def unlisted(self) -> Sequence[SharedProblem]:
        """Return the folders that the last listing could not read. Any thread may call."""
        return ()

    def is_member(self, key: str, rules: Rules) -> bool:
        """Return whether a key has the form of a member that the rules list."""
        return rules == "structural"

    def existing(self, keys: Collection[str]) -> Keys:
        """Return the keys that exist."""
        there = set(self.members())
        return [key for key in keys if key in there]

    def unsure(self, rows: Mapping[str, IndexRow]) -> Collection[str]:
        """Return those of some rows whose members may be in a file that cannot be read now."""
        return ()

    def is_incomplete(self) -> bool:
        """Return whether the last listing left out what the next one may find. Any thread may call."""
        return False

    def hidden(self, keys: Collection[str]) -> Collection[str]:
        """Return those of some missing keys that may be in a folder that could not be listed for a moment."""
        return ()

    def is_surely_task(self, key: str) -> bool:
        """Return whether a member is certainly a task, without reading it."""
        return False

    def members_version(self) -> object:
        """Return a cheap value that changes when members are added or removed; None if there is none."""
        return None

    def fingerprints(
        self, keys: Keys, parallel: Parallel = sequential, meanwhile: Callable[[], None] = nothing
    ) -> Fingerprints:
        """Return the fingerprint of each key in order, including keys without a member.

        A fingerprint fits 60 bits and is the same in every process. `meanwhile` is called once.
        """

    def shared(self) -> Mapping[str, bytes]:
        """Return a digest of the shared list entries by member; empty without lists."""
        return {}

    def evidence(self) -> Sequence[Evidence] | None:
        """Return all places whose changes may change the rows, besides the root itself; None if unknown.

        More places than necessary do no harm.
        """
        return None

    def deletes_after(self) -> int | None:
        """Return how long the product keeps an unchanged session, in ms; None if it deletes none."""
        return None

    def deletes_next(self, row: IndexRow) -> bool:
        """Return whether the product deletes a session at its next start, whatever the session's age."""
        return False

    def spares(self, row: IndexRow) -> bool:
        """Return whether the product keeps a session, whatever the session's age."""
        return False

    def files(self, key: str) -> Sequence[str]:
        """Return the files of a member that a kept copy consists of; empty if it cannot be kept."""
        return ()

    # Rows

    def rows(self, keys: Keys, rules: Rules, now: int) -> ReadRows:
        """Read members into rows; None for a missing member. `now` is in ms.

        A row's `key` must equal the member's fingerprint, its `entry` the digest of `shared`. A member may
        hold other tasks, whose rows are returned with it: they name it in `within` and have its fingerprint.
        """

    def related(
        self,
        rows: Mapping[str, IndexRow],
        before: Mapping[str, IndexRow],
        changed: Collection[str],
        now: int,
    ) -> ReadRows:
        """Return the rows that differ because of other members, such as those that hold a copy of a record.

        `rows` are all rows under the structural rules, `before` those of the last scan. Those in `changed`
        were just read, or removed and are missing. A store remembers in `IndexRow.links` what it needs to
        know of members that did not change.
        """
        return {}

    def damaged_row(self, key: str, rules: Rules, now: int) -> IndexRow:
        """Create the row of a member that crashed or blocked its reader; it is read again when it changes."""

    def open(self, key: str, now: int) -> OpenedTask | None:
        """Read one task from disk; None if it is missing or not a task."""

    def size(self, key: str) -> int:
        """Return the size of a member in bytes, to plan the work."""
        return 0

    def location(self, key: str) -> str:
        """Return the folder or file that holds a member."""

    # Messages, and the files that they name

    def open_messages(self, key: str, kind: Kind) -> AbstractContextManager[Messages]:
        """Open the messages of a member; a missing member has none. Raises StorageError."""

    def message_version(self, key: str) -> str | None:
        """Return a value that changes with the messages, None without messages. For the search index."""
        (found,) = self.fingerprints([key]).values()
        return str(found)

    def message_versions(self, keys: Keys) -> Mapping[str, str]:
        """Return the versions of the messages of those members that have any."""
        found = ((key, self.message_version(key)) for key in keys)
        return {key: version for key, version in found if version is not None}

    def touched_files(self, key: str) -> "list[FileChange]":
        """List the files that a session touched."""
        return []

    def mentions(self, key: str, needles: Collection[bytes]) -> bool:
        """Return whether a member's lower-cased bytes contain one of the needles; True if unknown."""
        return True

    def all_mentioning(self, needles: Collection[bytes]) -> Collection[str] | None:
        """Return all members for which `mentions` is True, if one look finds them; None otherwise."""
        return None

    # Changes

    shared_folders: Sequence[str]
    """Folders, relative to the root, that are always watched."""

    def folder_of(self, key: str) -> str | None:
        """Return the folder, relative to the root, to watch while a member is active."""
        return None

    def is_always_watched(self, key: str) -> bool:
        """Return whether the files of a member are in `shared_folders`."""
        return False

    def touched(self, parts: Sequence[str]) -> Touched | None:
        """Return the meaning of a changed path, given its parts below the root; None if it can be ignored."""


class Place(NamedTuple):
    """A folder that may be a root, and what it holds."""

    path: Path
    content: str


class StoreFamily(Protocol):
    """A format of sessions, and the places where products keep them."""

    def recognizes(self, root: str) -> bool:
        """Return whether the folder holds sessions in this format, judged by its content only."""

    def product_of_path(self, path: str) -> Product | None:
        """Return the product named by a root's path, if any."""

    def places(self, machine: "Machine") -> Iterator[Place]:
        """Yield the default folders of the products, existing or not."""

    def open(self, root: Root) -> Store:
        """Open the store of a root, which may not exist yet. Reads nothing."""
