"""The messages of one stored task, in pages from either end."""

from typing import Any, Final, Literal

from sidecar.api.errors import InvalidParams, StorageError
from sidecar.api.tasks import MessagesResult, Product, StoredMessage
from sidecar.history.messages import normalise
from sidecar.history.paging import check_limit, decode_cursor, digest, encode_cursor
from sidecar.history.parsing import clean, elements, value_of
from sidecar.history.reading import StoredFile

Kind = Literal["ui", "api"]
End = Literal["start", "end"]
_REFUSED: Final = frozenset({"unreadable", "notRegular", "tooLarge"})


def read_page(
    task_id: str,
    path: str,
    file: StoredFile,
    kind: Kind,
    product: Product,
    cursor: str | None,
    limit: int,
    from_: End,
    revision: int,
) -> MessagesResult:
    """Cut one page out of a message file, always in file order; an absent file holds no messages.

    A cursor holds the index to go on at, so that appended messages move nothing. Raises InvalidParams
    for a bad limit or cursor, StorageError naming the path for a file that cannot be read.
    """
    check_limit(limit)
    parts = _parts(path, file)
    query = digest("messages", task_id, kind, from_)
    start, end = _bounds(len(parts), cursor, query, limit, from_)
    page = [_message(kind, index, parts[index], product) for index in range(start, end)]
    return MessagesResult(
        messages=page, next_cursor=_next(start, end, len(parts), query, from_), total=len(parts), revision=revision
    )


def _parts(path: str, file: StoredFile) -> list[bytes]:
    for found in file.problems:
        if found.code in _REFUSED:
            raise StorageError(f"{path} cannot be read: {found.message}", path=path, reason=found.message)
    if file.data is None:
        return []
    data, _ = clean(file.data, file.name)
    return elements(data, file.name, [])


def _bounds(total: int, cursor: str | None, query: str, limit: int, from_: End) -> tuple[int, int]:
    at = None if cursor is None else _index(cursor, query)
    if from_ == "start":
        start = min(at or 0, total)
        return start, min(start + limit, total)
    end = total if at is None else min(at, total)
    return max(end - limit, 0), end


def _index(cursor: str, query: str) -> int:
    match decode_cursor(cursor, query):
        case [int(index)] if index >= 0:
            return index
    raise InvalidParams("cursor: damaged; start again without a cursor")


def _next(start: int, end: int, total: int, query: str, from_: End) -> str | None:
    if from_ == "start":
        return encode_cursor(query, end) if end < total else None
    return encode_cursor(query, start) if start > 0 else None


def _message(kind: Kind, index: int, part: bytes, product: Product) -> StoredMessage:
    value: Any = value_of(part)
    if value is None and part != b"null":
        value = part.decode("utf-8", "replace")
    return normalise(kind, index, value, product)
