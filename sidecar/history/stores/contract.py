"""The seam between the catalog and the formats in which products store sessions.

The steps are discover, members, row, messages, appended part. A `StoreFamily` finds roots and opens a `Store`
for each. The store lists its *members*, one for each session, under a key that is the task's id. A member may
be a folder, a file that grows, or rows of a database. The catalog reads it again only when its *fingerprint*
changes.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from sidecar.api.tasks import Product, Provenance, Rules, StoredMessage, TaskInfo
from sidecar.history.stores.index_row import IndexRow, ReadRows
from sidecar.history.stores.parallel import Parallel, nothing, sequential
from sidecar.history.stores.root import Root

if TYPE_CHECKING:
    from sidecar.changes.file_change import FileChange
    from sidecar.history.stores.editors import Machine

Keys = list[str]
Fingerprints = Mapping[str, int]
"""Fingerprints of members by their keys."""
Kind = Literal["ui", "api"]
"""Which messages: those for the user or those for the model. A store with one kind answers both alike."""
NOT_THERE = object()
"""A version of a root that does not exist."""


class OpenedTask(NamedTuple):
    """One task read afresh, with the source of each field."""

    info: TaskInfo
    provenance: dict[str, Provenance]


class Touched(NamedTuple):
    """What a changed path means: a member to check, or a list that members share.

    `folder` is whether the path is the member's own folder, which needs a watch of its own.
    """

    key: str | None
    folder: bool = False


class Messages(Protocol):
    """The messages of one member, open for reading."""

    @property
    def total(self) -> int:
        """How many there are."""

    def read(self, start: int, end: int) -> list[StoredMessage]:
        """Read the messages from index `start` up to, but not including, `end`."""

    def since(self, start: int = 0) -> Iterator[StoredMessage]:
        """Iterate over the messages from index `start` on, one in memory at a time.

        This is how an appended part is read: a store whose files grow remembers where a message starts.
        """


class Store(Protocol):
    """The sessions of one root in one format. Only read, and never locked or written.

    Subclass it: what has a body here may stay as it is. No method raises for damage, a missing file or a file
    that may not be read, except `open_messages`. The catalog calls from one thread at a time, except for
    `open_messages`, `touched_files` and `mentions`, which any thread may call.
    """

    root: Root

    # Members

    def members(self) -> Keys:
        """List the keys of what may be members, unopened; the catalog asks `is_member` about new ones."""

    def is_member(self, key: str, rules: Rules) -> bool:
        """Return whether a key has the form of a member's that the rules list."""
        return rules == "structural"

    def existing(self, keys: Collection[str]) -> Keys:
        """Return those of the keys that are there."""
        there = set(self.members())
        return [key for key in keys if key in there]

    def is_surely_task(self, key: str) -> bool:
        """Return whether a member is a task, as far as this is known without reading it."""
        return False

    def members_version(self) -> object:
        """Return what differs when a member came or went, cheaply; None where only listing them tells."""
        return None

    def fingerprints(
        self, keys: Keys, parallel: Parallel = sequential, meanwhile: Callable[[], None] = nothing
    ) -> Fingerprints:
        """Return the fingerprint of each key, in the order of the keys, also where a member is gone.

        A fingerprint fits 60 bits and is the same in every process. `meanwhile` is called once.
        """

    def shared(self) -> Mapping[str, bytes]:
        """Return a digest of what shared lists hold about each member; nothing where there are none."""
        return {}

    # Rows

    def rows(self, keys: Keys, rules: Rules, now: int) -> ReadRows:
        """Read members into rows; None for one that is gone. `now` in ms.

        A row's `key` must equal the member's fingerprint, its `entry` the digest of `shared`.
        """

    def damaged_row(self, key: str, rules: Rules, now: int) -> IndexRow:
        """Make the row of a member that ended or blocked its reader; it is read again when it changes."""

    def open(self, key: str, now: int) -> OpenedTask | None:
        """Read one task afresh; None when it is gone or not a task."""

    def size(self, key: str) -> int:
        """Return how many bytes reading a member takes, to plan the work."""
        return 0

    def location(self, key: str) -> str:
        """Return the folder or file that holds a member."""

    # Messages, and the files that they name

    def open_messages(self, key: str, kind: Kind) -> AbstractContextManager[Messages]:
        """Open the messages of a member; a member that is gone has none. Raises StorageError."""

    def message_version(self, key: str) -> str | None:
        """Return what changes with the messages; None where there are none. For the search index."""
        (found,) = self.fingerprints([key]).values()
        return str(found)

    def touched_files(self, key: str) -> "list[FileChange]":
        """List the files that a session touched."""
        return []

    def mentions(self, key: str, needles: Collection[bytes]) -> bool:
        """Return whether a member's bytes, in lower case, hold one of the needles; True if unknown."""
        return True

    # Changes

    shared_folders: Sequence[str]
    """Folders, relative to the root, whose own entries are always watched."""

    def folder_of(self, key: str) -> str | None:
        """Return the folder of a member, relative to the root, that is watched while it is active."""
        return None

    def touched(self, parts: Sequence[str]) -> Touched | None:
        """Tell what a changed path means, given by its parts below the root; None for nothing."""


class Place(NamedTuple):
    """A folder that may be a root, and what it holds."""

    path: Path
    content: str


class StoreFamily(Protocol):
    """A format of sessions, and where its products keep them."""

    def recognizes(self, root: str) -> bool:
        """Return whether the folder holds sessions in this format, by its content and never by its name."""

    def product_of_path(self, path: str) -> Product | None:
        """Return the product that a root's path tells, if any."""

    def places(self, machine: "Machine") -> Iterator[Place]:
        """Yield the folders in which the products keep sessions by default, existing or not."""

    def open(self, root: Root) -> Store:
        """Open the store of a root, which need not exist yet. Cheap: nothing is read."""
