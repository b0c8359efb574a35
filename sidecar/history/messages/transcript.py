"""The messages of one stored task, in pages from either end."""

import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, Literal

from sidecar.api.errors import InvalidParams, StorageError
from sidecar.api.tasks import MessagesParams, MessagesResult, Product, StoredMessage
from sidecar.history.listing.cursors import decode_cursor, digest, encode_cursor
from sidecar.history.listing.paging import check_limit
from sidecar.history.messages.messages import normalise
from sidecar.history.stored.leftovers import settle
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
from sidecar.history.stored.reading import API_FILE, UI_FILE, Stamp, read_task

Kind = Literal["ui", "api"]
End = Literal["start", "end"]
FILES: Final[dict[Kind, str]] = {"ui": UI_FILE, "api": API_FILE}
_KEPT: Final = 16
"""Files whose message index is remembered: pages of one task come one after the other."""


class Transcripts:
    """Pages through message files and remembers where their messages lie. Safe in any thread."""

    def __init__(self) -> None:
        self._indexes: OrderedDict[tuple[str, Stamp], MessageIndex] = OrderedDict()
        self._lock = threading.Lock()

    def page(
        self, params: MessagesParams, folder: str, product: Product | None, revision: int
    ) -> MessagesResult:
        """Cut one page out of a message file, always in file order; an absent file holds no messages.

        A cursor holds the index to go on at, so that appended messages move nothing, and is bound to the
        folder: another root may hold the same id. Raises InvalidParams for a bad limit or cursor,
        StorageError naming the path for a file that cannot be read.
        """
        check_limit(params.limit)
        query = digest("messages", folder, params.kind, params.from_)
        with opened(folder, params.kind) as (read_at, stamp):
            index = self._index(f"{folder}/{params.kind}", read_at, stamp)
            start, end = _bounds(index.total, params, query)
            parts = read_messages(read_at, index, start, end)
        page = [message_of(params.kind, start + place, part, product) for place, part in enumerate(parts)]
        cursor = _next(start, end, index.total, params.from_, query)
        return MessagesResult(messages=page, next_cursor=cursor, total=index.total, revision=revision)

    def _index(self, name: str, read_at: ReadAt, stamp: Stamp | None) -> MessageIndex:
        if stamp is None:
            return index_messages(read_at)
        with self._lock:
            known = self._indexes.get((name, stamp))
        if known is None:
            known = index_messages(read_at)
        with self._lock:
            self._indexes[name, stamp] = known
            self._indexes.move_to_end((name, stamp))
            while len(self._indexes) > _KEPT:
                self._indexes.popitem(last=False)
        return known


@contextmanager
def opened(folder: str, kind: Kind) -> Iterator[tuple[ReadAt, Stamp | None]]:
    """Open a task's message file; one that a save took away is waited for, then read from what it left.

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


def all_messages(folder: str, kind: Kind, product: Product | None) -> Iterator[StoredMessage]:
    """Iterate over a file's messages in the common shape, one in memory at a time. Raises StorageError."""
    with opened(folder, kind) as (read_at, _):
        for index, part in enumerate(iter_messages(read_at)):
            yield message_of(kind, index, part, product)


def message_of(kind: Kind, index: int, part: bytes, product: Product | None) -> StoredMessage:
    """Bring the bytes of one message into the common shape; never raises."""
    value: Any = value_of(part)
    if value is None and part != b"null":
        value = part.decode("utf-8", "replace")
    return normalise(kind, index, value, product)


def _bounds(total: int, params: MessagesParams, query: str) -> tuple[int, int]:
    at = None if params.cursor is None else _position(params.cursor, query)
    if params.from_ == "start":
        start = min(at or 0, total)
        return start, min(start + params.limit, total)
    end = total if at is None else min(at, total)
    return max(end - params.limit, 0), end


def _position(cursor: str, query: str) -> int:
    match decode_cursor(cursor, query):
        case [int(index)] if index >= 0:
            return index
    raise InvalidParams("cursor: damaged; start again without a cursor")


def _next(start: int, end: int, total: int, from_: End, query: str) -> str | None:
    if from_ == "start":
        return encode_cursor(query, end) if end < total else None
    return encode_cursor(query, start) if start > 0 else None
