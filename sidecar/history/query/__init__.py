"""The query language of stored tasks: parse text into a predicate over rows. Pure.

    status:failed,abandoned (mode:code OR mode:architect) cost>0.5 since:7d -draft "exact words"

Terms are joined by AND; `OR` binds weaker, `NOT` and `-` stronger, parentheses group. A free term is searched
for in title, mode and workspace, ignoring case; it also finds a task by its whole ID, or by the first six or
more characters of it. `field:value` and `field:a,b` take the fields of `fields.FIELDS`; numbers, `created`,
`active` and `duration` take `> >= < <= =`; `since:` and `until:` compare the last activity.
"""

from sidecar.history.query.lexer import QueryError
from sidecar.history.query.parser import parse_query
from sidecar.history.query.predicates import Predicate, asks_for_children, compile_query, needed_files

__all__ = ["Predicate", "QueryError", "asks_for_children", "compile_query", "needed_files", "parse_query"]
