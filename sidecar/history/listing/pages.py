"""A page of a list while it is made: the rows chosen, and where the next page starts."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from sidecar.api.tasks import Rules, Sort, TaskInfo
from sidecar.history.catalog.index_row import IndexRow
from sidecar.history.listing.paging import Mark, sort_value, start_after
from sidecar.history.listing.rows import Listing, render
from sidecar.history.listing.rows import start_after as start_in_listing

# Cursors are imported where they are needed: half of a short list's time would go into imports.

Query = tuple[object, ...]
"""What a cursor is bound to."""


class Selected(msgspec.Struct, frozen=True):
    """Rows of a listing in the order asked for; `infos` are the same, decoded, if the order needed that."""

    listing: Listing
    rows: Sequence[IndexRow]
    counts: dict[str, int]
    infos: Sequence[TaskInfo] | None = None

    @property
    def total(self) -> int:
        """How many rows were selected from."""
        return len(self.listing.rows)

    @property
    def is_all(self) -> bool:
        """Tell whether these are the rows of the listing as they stand there."""
        return self.rows is self.listing.rows

    def start_after(self, mark: Mark, rules: Rules, order: Sort | None) -> int:
        """Find where the page after `mark` starts."""
        if self.infos is not None:
            return start_after(self.infos, mark, order)
        return start_in_listing(self.rows, mark, rules)


class Page(msgspec.Struct, frozen=True):
    """A page before its rows are brought into the shape asked for; `whole` if they are all of a listing."""

    rows: Sequence[IndexRow]
    total: int
    matched: int
    counts: dict[str, int]
    next_cursor: str | None
    whole: Listing | None

    def rendered(self, now: int) -> Sequence[bytes]:
        """What, one after the other, makes the rows a JSON array."""
        return self.whole.rendered(now) if self.whole is not None else render(self.rows, now)


class RenderedList(msgspec.Struct, frozen=True):
    """A ListResult whose items are the pieces of a JSON array already, as the index keeps them."""

    items: Sequence[bytes]
    total: int
    matched: int
    counts: dict[str, int]
    next_cursor: str | None
    revision: int

    def wire(self) -> dict[str, Any]:
        """The members as they go over the wire, for orjson."""
        from orjson import Fragment

        return {"items": Fragment(b"".join(self.items)), **self._figures()}

    def pieces(self) -> list[bytes]:
        """What, one after the other, makes the whole one JSON document: its megabytes are not copied."""
        return [b'{"items":', *self.items, b"," + msgspec.json.encode(self._figures())[1:]]

    def followed_by(self, more: "RenderedList") -> "RenderedList":
        """Append the next page, which holds a row at least."""
        first, *rest = more.items
        items = [*self.items[:-1], b"," + first.removeprefix(b"["), *rest]
        return replace(self, items=items, next_cursor=more.next_cursor)

    def _figures(self) -> dict[str, Any]:
        cursor = {} if self.next_cursor is None else {"nextCursor": self.next_cursor}
        figures = {"total": self.total, "matched": self.matched, "counts": self.counts}
        return {**figures, **cursor, "revision": self.revision}


def read_mark(cursor: str, query: Query) -> Mark:
    """Open a list cursor; InvalidParams when it is none, or of another query."""
    from sidecar.history.listing.cursors import decode_mark, digest

    return decode_mark(cursor, digest(*query))


def cursor_at(last: TaskInfo, place: int, order: Sort | None, query: Query) -> str:
    """Make the cursor of the page after a row; `place` is where it stood."""
    from sidecar.history.listing.cursors import digest, encode_cursor

    value = sort_value(last, order.by) if order is not None else None
    return encode_cursor(digest(*query), *Mark(value, last.id, last.root, place))
