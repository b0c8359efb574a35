"""Which rows of a list are asked for: the plain filter and the query language together."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from sidecar.api.tasks import Rules, Sort, TaskInfo

if TYPE_CHECKING:
    from sidecar.history.query.predicates import Predicate, Touching

# The query language is imported where it is used: most lists are asked for without one.

Rows = list[TaskInfo]
FindTouching = Callable[[set[str], Rows], "Touching"]
"""Answers for each part of a path which of the rows touched such a file; reads message files."""


class Selection(msgspec.Struct, frozen=True):
    """What a caller wants to see: `filter` is a substring, `query` the query language; both must hold."""

    filter: str | None = None
    query: str | None = None
    rules: Rules = "structural"

    def check(self) -> None:
        """Raise QueryError for an invalid query, before anything is read."""
        if self.query:
            from sidecar.history.query import parse_query

            parse_query(self.query)

    def queried(self, rows: Rows, now: int, touching: FindTouching) -> "Predicate":
        """Make the predicate that returns which of `rows` the query keeps; an empty one keeps all.

        Raises QueryError.
        """
        from sidecar.history.query import compile_query, needed_files, parse_query

        node = parse_query(self.query or "")
        files = needed_files(node)
        return compile_query(node, now, touching(files, rows) if files else {})


class ListQuery(Selection, frozen=True):
    """One page of a list: the selection, its order, where the page starts, and of which roots (None: all)."""

    sort: Sort | None = None
    limit: int = 200
    cursor: str | None = None
    roots: Sequence[str] | None = None
