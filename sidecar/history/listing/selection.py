"""Select rows by the plain filter and the query language."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from sidecar.api.stored.tasks import Rules, Sort, TaskInfo

if TYPE_CHECKING:
    from sidecar.history.query.predicates import Predicate, Touching

# The query language is imported when used: most lists have no query.

Rows = list[TaskInfo]
FindTouching = Callable[[set[str], Rows], "Touching"]
"""Return the rows that touched a matching file, by part of a path; reads message files."""


class _Shown(msgspec.Struct, frozen=True, kw_only=True):
    children: bool = False
    estimate: bool = False


class Selection(_Shown, frozen=True):
    """The rows a caller wants: `filter` is a substring, `query` a query; both must match.

    Child sessions, such as those of subagents, are left out unless `children` or the query asks for them.
    With `estimate`, rows without a recorded cost show an estimate.
    """

    filter: str | None = None
    query: str | None = None
    rules: Rules = "structural"

    def with_children(self) -> bool:
        """Return whether child sessions are selected too. Raises QueryError."""
        if self.children or not self.query:
            return self.children
        from sidecar.history.query import asks_for_children, parse_query

        return asks_for_children(parse_query(self.query))

    def check(self) -> None:
        """Raise QueryError for an invalid query, before anything is read."""
        if self.query:
            from sidecar.history.query import parse_query

            parse_query(self.query)

    def queried(self, rows: Rows, now: int, touching: FindTouching) -> "Predicate":
        """Create the predicate that returns whether the query keeps a row; an empty query keeps all.

        Raises QueryError.
        """
        from sidecar.history.query import compile_query, needed_files, parse_query

        node = parse_query(self.query or "")
        files = needed_files(node)
        return compile_query(node, now, touching(files, rows) if files else {})


class ListQuery(Selection, frozen=True):
    """One page of a list: the selection, its order, the start of the page, and the roots (None: all)."""

    sort: Sort | None = None
    limit: int = 200
    cursor: str | None = None
    roots: Sequence[str] | None = None
