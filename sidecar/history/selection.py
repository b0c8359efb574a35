"""Which rows of a list are asked for: the plain filter and the query language together."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sidecar.api.tasks import Rules, TaskInfo
from sidecar.history.query import compile_query, needed_files, parse_query
from sidecar.history.query.predicates import Touching
from sidecar.history.text import matches_filter

FindTouching = Callable[[set[str], list[TaskInfo]], Touching]
"""Answers for each part of a path which of the rows touched such a file; reads message files."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What a caller wants to see: `filter` is a substring, `query` the query language; both must hold."""

    filter: str | None = None
    query: str | None = None
    rules: Rules = "structural"

    def keep(
        self, rows: Iterable[TaskInfo], now: int, touching: FindTouching | None = None
    ) -> list[TaskInfo]:
        """Return the rows that are kept, in their order. Raises QueryError."""
        kept = list(rows)
        if self.filter:
            kept = [row for row in kept if matches_filter(row, self.filter, self.rules)]
        if not self.query:
            return kept
        node = parse_query(self.query)
        files = needed_files(node)
        found = touching(files, kept) if files else {}
        keeps = compile_query(node, now, found)
        return [row for row in kept if keeps(row)]
