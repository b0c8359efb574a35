"""Pages of a list: order, limits, and the cursors that locate the next page.

A cursor is an opaque text that identifies the last row or message of a page and is bound to its query.
"""

import json
import math
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from sidecar.api.errors import InvalidParams
from sidecar.api.stored.tasks import MAX_PAGE, Rules, Sort, SortKey, TaskInfo, UnlistedFolder
from sidecar.history.listing.rows import Listing, default_place, infos, render
from sidecar.history.stores.index_row import IndexRow

# Hashing is imported when needed: imports would take half the time of a short list.

Query = tuple[object, ...]
"""The query that a cursor is bound to."""
_REMEDY: Final = "start again without a cursor"
_LAST: Final = float("-inf")


class CursorPosition(NamedTuple):
    """The last row of a page: its sort value (None: unknown), ID, root, and its place in the list."""

    value: Any
    task_id: str
    root: str
    place: int


class ListPage(msgspec.Struct, dict=True):
    """One page of rows; `whole` is set if they are a full listing. `now`, in ms, decides their statuses."""

    rows: Sequence[IndexRow]
    rules: Rules
    now: int
    total: int
    matched: int
    counts: dict[str, int]
    next_cursor: str | None
    revision: int
    whole: Listing | None = None
    unlisted: Sequence[UnlistedFolder] = ()

    @cached_property
    def items(self) -> list[TaskInfo]:
        """Return the decoded rows."""
        return infos(self.rows, self.rules, self.now)

    @property
    def rendered(self) -> Sequence[bytes]:
        """Return the pieces of a JSON array of the rows, which are kept as JSON."""
        return self.whole.rendered(self.now) if self.whole is not None else render(self.rows, self.now)

    def wire(self) -> dict[str, Any]:
        """Return the members of a ListResult for orjson, with the items as JSON."""
        from orjson import Fragment

        return {"items": Fragment(b"".join(self.rendered)), **self._figures()}

    def pieces(self) -> list[bytes]:
        """Return a ListResult as pieces of JSON, which avoids copying megabytes."""
        return [b'{"items":', *self.rendered, b"," + msgspec.json.encode(self._figures())[1:]]

    def followed_by(self, more: "ListPage") -> "ListPage":
        """Append the next page."""
        return replace(self, rows=[*self.rows, *more.rows], next_cursor=more.next_cursor, whole=None)

    def _figures(self) -> dict[str, Any]:
        cursor = {} if self.next_cursor is None else {"nextCursor": self.next_cursor}
        figures = {"total": self.total, "matched": self.matched, "counts": self.counts}
        unlisted = {"unlisted": msgspec.to_builtins(self.unlisted)} if self.unlisted else {}
        return {**figures, **cursor, **unlisted, "revision": self.revision}


def check_limit(limit: int) -> None:
    """Refuse a `limit` outside 1 … 20,000 rows with InvalidParams."""
    if type(limit) is not int or not 1 <= limit <= MAX_PAGE:
        raise InvalidParams(f"limit: must be a whole number from 1 to {MAX_PAGE}")


def ordered(tasks: Sequence[TaskInfo], sort: Sort) -> list[TaskInfo]:
    """Sort rows; unknown values come last in either order, ties go by ID, then root."""
    rows = sorted(tasks, key=lambda task: (task.id, task.root))
    values = {id(task): sort_value(task, sort.by) for task in rows}
    known = [task for task in rows if values[id(task)] is not None]
    known.sort(key=lambda task: values[id(task)], reverse=sort.order == "desc")
    return known + [task for task in rows if values[id(task)] is None]


def sort_value(task: TaskInfo, by: SortKey) -> Any:
    """Return the value that a row is sorted by, None if unknown."""
    usage = task.token_usage
    value: Any
    match by:
        case "createdAt":
            value = task.created_at
        case "lastActivity":
            value = task.last_activity
        case "title":
            value = task.title.casefold()
        case "tokens":
            value = usage.total if usage else None
        case "cost":
            value = usage.cost if usage else None
        case "messages":
            value = task.message_count
        case "duration":
            value = task.duration
        case "size":
            value = task.size_bytes
    return None if isinstance(value, float) and math.isnan(value) else value


def start_after(rows: Sequence[TaskInfo], position: CursorPosition, sort: Sort | None) -> int:
    """Return where the next page starts; without `sort` (the guide's order), find the row itself."""
    if sort is None:
        return _index_after(rows, position)
    found = (index for index, row in enumerate(rows) if _is_after(row, position, sort))
    return next(found, len(rows))


def start_in_default_order(rows: Sequence[IndexRow], position: CursorPosition, rules: Rules) -> int:
    """Return where the next page starts among rows in their default order."""
    if rules == "guide":  # its order has no place for a row that is gone
        return _index_after(rows, position)
    created = position.value if position.value is not None else _LAST
    return bisect_right(rows, (-created, position.task_id, position.root), key=default_place)


def _index_after(rows: Sequence[Any], position: CursorPosition) -> int:
    named = (position.task_id, position.root)
    return next((at for at, row in enumerate(rows) if (row.id, row.root) == named), position.place) + 1


def _is_after(row: TaskInfo, position: CursorPosition, sort: Sort) -> bool:
    value = sort_value(row, sort.by)
    if (value is None) != (position.value is None):
        return value is None
    if value == position.value:
        return (row.id, row.root) > (position.task_id, position.root)
    return bool(value < position.value if sort.order == "desc" else value > position.value)


def digest(*query: Any) -> str:
    """Hash the query that a cursor is bound to."""
    from hashlib import sha256

    return sha256(json.dumps(query).encode()).hexdigest()[:16]


def encode_cursor(query: str, *values: Any) -> str:
    """Create an opaque cursor for the query with this `digest`."""
    import base64

    text = json.dumps([query, *values], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_cursor(cursor: str, query: str) -> list[Any]:
    """Decode a cursor. Raises InvalidParams if it is invalid or of another query."""
    import base64

    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        values = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, list) or not values:
        raise InvalidParams(f"cursor: was not issued by this server; {_REMEDY}")
    if values[0] != query:
        raise InvalidParams(f"cursor: belongs to another query; {_REMEDY}")
    return values[1:]


def position_of(cursor: str, query: Query) -> CursorPosition:
    """Decode a list cursor. Raises InvalidParams if it is invalid or of another query."""
    match decode_cursor(cursor, digest(*query)):
        case [int() | float() | str() | None as value, str(task_id), str(root), int(place)] if place >= 0:
            return CursorPosition(value, task_id, root, place)
    raise InvalidParams(f"cursor: damaged; {_REMEDY}")


def cursor_at(last: TaskInfo, place: int, order: Sort | None, query: Query) -> str:
    """Create the cursor of the page after a row; `place` is the row's index."""
    value = sort_value(last, order.by) if order is not None else None
    return encode_cursor(digest(*query), *CursorPosition(value, last.id, last.root, place))
