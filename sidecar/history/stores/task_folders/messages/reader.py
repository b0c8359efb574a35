"""Read the messages of a task folder in normalized form."""

import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Final

from sidecar.api.errors import StorageError
from sidecar.api.stored.tasks import Product, StoredMessage
from sidecar.history.stored.message_file import (
    MessageIndex,
    ReadAt,
    index_messages,
    iter_messages,
    open_messages,
    read_from,
    read_messages,
)
from sidecar.history.stored.parsing import value_of
from sidecar.history.stored.reading import Stamp
from sidecar.history.stores.contract import Kind
from sidecar.history.stores.task_folders.files import API_FILE, UI_FILE, read_task
from sidecar.history.stores.task_folders.leftovers import settle
from sidecar.history.stores.task_folders.messages.normalize import normalize

FILES: Final[dict[Kind, str]] = {"ui": UI_FILE, "api": API_FILE}
_KEPT: Final = 16
"""Files whose message index is remembered: pages of one task come one after the other."""
_STEP: Final = 200
"""Messages read at a time from the middle of a file on."""


class MessageIndexes:
    """Cache where the messages of files start. Thread-safe."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, Stamp], MessageIndex] = OrderedDict()
        self._lock = threading.Lock()

    def index(self, path: str, read_at: ReadAt, stamp: Stamp | None) -> MessageIndex:
        """Return the index of an open file; one without a stamp is not remembered."""
        if stamp is None:
            return index_messages(read_at)
        with self._lock:
            known = self._known.get((path, stamp))
        if known is None:
            known = index_messages(read_at)
        with self._lock:
            self._known[path, stamp] = known
            self._known.move_to_end((path, stamp))
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return known


class FolderMessages:
    """The messages of one file; see `Messages` in the contract."""

    def __init__(
        self,
        kind: Kind,
        product: Product | None,
        path: str,
        opened: tuple[ReadAt, Stamp | None],
        indexes: MessageIndexes,
    ) -> None:
        self._kind = kind
        self._product = product
        self._path = path
        self._read_at, self._stamp = opened
        self._indexes = indexes

    @property
    def total(self) -> int:
        """The number of messages; the first call reads the whole file."""
        return self._index.total

    def read(self, start: int, end: int) -> list[StoredMessage]:
        """Read the messages from index `start` up to, but not including, `end`."""
        parts = read_messages(self._read_at, self._index, start, end)
        return [self._message(start + place, part) for place, part in enumerate(parts)]

    def since(self, start: int = 0) -> Iterator[StoredMessage]:
        """Iterate over the messages from index `start` on."""
        if start == 0:
            for index, part in enumerate(iter_messages(self._read_at)):
                yield self._message(index, part)
            return
        for begin in range(start, self.total, _STEP):
            yield from self.read(begin, min(begin + _STEP, self.total))

    @cached_property
    def _index(self) -> MessageIndex:
        return self._indexes.index(self._path, self._read_at, self._stamp)

    def _message(self, index: int, part: bytes) -> StoredMessage:
        return message_of(self._kind, index, part, self._product)


@contextmanager
def open_file(folder: str, kind: Kind) -> Iterator[tuple[ReadAt, Stamp | None]]:
    """Open a task's message file; if a save took it away, wait, then read what the save left.

    Without a file there is nothing to read and no stamp. Raises StorageError naming the path.
    """
    path = f"{folder}{os.sep}{FILES[kind]}"
    try:
        with open_messages(path) as (read_at, stamp):
            yield read_at, stamp
    except FileNotFoundError:
        files = settle(folder, read_task(folder, with_metadata=False))
        yield read_from((files.ui if kind == "ui" else files.api).data or b""), None
    except OSError as error:
        reason = f"{FILES[kind]} cannot be read: {error.strerror or error}"
        raise StorageError(f"{path}: {reason}", path=path, reason=reason) from None


def message_of(kind: Kind, index: int, part: bytes, product: Product | None) -> StoredMessage:
    """Decode and normalize one message. Never raises."""
    value: Any = value_of(part)
    if value is None and part != b"null":
        value = part.decode("utf-8", "replace")
    return normalize(kind, index, value, product)
