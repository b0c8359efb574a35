"""Parse tokens into nodes by recursive descent of bounded depth."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from sidecar.history.query.fields import COMPARED_FIELDS, FIELDS, read_field
from sidecar.history.query.lexer import Lexer, QueryError, Token
from sidecar.history.query.nodes import All, AnyOf, Node, Not, Text

MAX_LENGTH: Final = 4_096
"""The longest query in characters, far longer than a person types."""
MAX_DEPTH: Final = 32
"""Deepest nesting of parentheses."""

_COLON_ONLY: Final = tuple(name for name in FIELDS if name not in COMPARED_FIELDS)


@lru_cache(maxsize=64)
def parse_query(query: str) -> Node:
    """Parse a query; a blank one keeps all rows. Raises only QueryError."""
    if len(query) > MAX_LENGTH:
        raise QueryError(MAX_LENGTH, f"at most {MAX_LENGTH} characters")
    parser = _Parser(Lexer(query, FIELDS, _COLON_ONLY).tokens())
    if parser.at_end():
        return All(())
    node = parser.any_of(0)
    if not parser.at_end():
        raise QueryError(parser.next.position, "a term; this parenthesis was not opened")
    return node


class _Parser:
    def __init__(self, tokens: Iterator[Token]) -> None:
        self._tokens = tokens
        self.next = next(tokens)

    def at_end(self) -> bool:
        return self.next.kind == "end"

    def any_of(self, depth: int) -> Node:
        parts = [self._all(depth)]
        while self.next.kind == "OR":
            self._take()
            parts.append(self._all(depth))
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _all(self, depth: int) -> Node:
        parts = [self._negated(depth)]
        while self.next.kind not in ("OR", ")", "end"):
            if self.next.kind == "AND":
                self._take()
            parts.append(self._negated(depth))
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _negated(self, depth: int) -> Node:
        negations = 0
        while self.next.kind == "NOT":
            self._take()
            negations += 1
        node = self._term(depth)
        return Not(node) if negations % 2 else node

    def _term(self, depth: int) -> Node:
        token = self._take()
        if token.kind == "text":
            return Text(token.text.casefold())
        if token.kind == "field":
            return read_field(token.text, token.position, token.operator, list(token.values))
        if token.kind == "(":
            return self._group(token, depth + 1)
        raise QueryError(token.position, "a term")

    def _group(self, opening: Token, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise QueryError(opening.position, f"at most {MAX_DEPTH} nested parentheses")
        node = self.any_of(depth)
        if self.next.kind != ")":
            raise QueryError(self.next.position, "a closing parenthesis")
        self._take()
        return node

    def _take(self) -> Token:
        token = self.next
        if token.kind != "end":
            self.next = next(self._tokens)
        return token
