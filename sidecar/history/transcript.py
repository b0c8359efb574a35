"""The messages of one stored task, in pages from either end."""

from typing import Any, Final, Literal

from sidecar.api.errors import InvalidParams, StorageError
from sidecar.api.tasks import MessagesParams, MessagesResult, Product, StoredMessage
from sidecar.history.cursors import decode_cursor, digest, encode_cursor
from sidecar.history.messages import normalise
from sidecar.history.paging import check_limit
from sidecar.history.parsing import clean, elements, value_of
from sidecar.history.reading import StoredFile

Kind = Literal["ui", "api"]
End = Literal["start", "end"]
_REFUSED: Final = frozenset({"unreadable", "notRegular", "tooLarge"})


def read_page(
    params: MessagesParams, path: str, file: StoredFile, product: Product, revision: int
) -> MessagesResult:
    """Cut one page out of a message file, always in file order; an absent file holds no messages.

    A cursor holds the index to go on at, so that appended messages move nothing. Raises InvalidParams
    for a bad limit or cursor, StorageError naming the path for a file that cannot be read.
    """
    check_limit(params.limit)
    parts = _parts(path, file)
    query = digest("messages", params.task_id, params.kind, params.from_)
    start, end = _bounds(len(parts), params, query)
    page = [_message(params.kind, index, parts[index], product) for index in range(start, end)]
    cursor = _next(start, end, len(parts), params.from_, query)
    return MessagesResult(messages=page, next_cursor=cursor, total=len(parts), revision=revision)


def _parts(path: str, file: StoredFile) -> list[bytes]:
    for found in file.problems:
        if found.code in _REFUSED:
            raise StorageError(f"{path} cannot be read: {found.message}", path=path, reason=found.message)
    if file.data is None:
        return []
    data, _ = clean(file.data, file.name)
    return elements(data, file.name, [])


def _bounds(total: int, params: MessagesParams, query: str) -> tuple[int, int]:
    at = None if params.cursor is None else _index(params.cursor, query)
    if params.from_ == "start":
        start = min(at or 0, total)
        return start, min(start + params.limit, total)
    end = total if at is None else min(at, total)
    return max(end - params.limit, 0), end


def _index(cursor: str, query: str) -> int:
    match decode_cursor(cursor, query):
        case [int(index)] if index >= 0:
            return index
    raise InvalidParams("cursor: damaged; start again without a cursor")


def _next(start: int, end: int, total: int, from_: End, query: str) -> str | None:
    if from_ == "start":
        return encode_cursor(query, end) if end < total else None
    return encode_cursor(query, start) if start > 0 else None


def _message(kind: Kind, index: int, part: bytes, product: Product) -> StoredMessage:
    value: Any = value_of(part)
    if value is None and part != b"null":
        value = part.decode("utf-8", "replace")
    return normalise(kind, index, value, product)
