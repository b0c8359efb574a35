"""Pages of the messages of one stored task, from either end."""

from typing import Literal

from sidecar.api.errors import InvalidParams
from sidecar.api.stored.tasks import MessagesParams, MessagesResult
from sidecar.history.listing.pages import check_limit, decode_cursor, digest, encode_cursor
from sidecar.history.stores.contract import Store

End = Literal["start", "end"]


def message_page(params: MessagesParams, store: Store, revision: int) -> MessagesResult:
    """Return one page of the messages of the task `params.task_id`, always in file order.

    A cursor contains an index, so appended messages do not shift it, and is bound to the root: another
    root may hold the same ID. Raises InvalidParams for a bad limit or cursor, StorageError for a file that
    cannot be read.
    """
    check_limit(params.limit)
    query = digest("messages", store.location(params.task_id), params.kind, params.from_)
    with store.open_messages(params.task_id, params.kind) as messages:
        total = messages.total
        start, end = _bounds(total, params, query)
        page = messages.read(start, end)
    cursor = _next(start, end, total, params.from_, query)
    return MessagesResult(messages=page, next_cursor=cursor, total=total, revision=revision)


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
