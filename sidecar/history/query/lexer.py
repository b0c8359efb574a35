"""Split a query into tokens in one pass, and report where it is invalid."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from sidecar.api.errors import InvalidParams


class QueryError(InvalidParams):
    """An invalid query. `data`: position (in characters, from 0), expected (what is valid there)."""

    def __init__(self, position: int, expected: str) -> None:
        super().__init__(
            f"query: at position {position} expected {expected}", position=position, expected=expected
        )
        self.position = position
        self.expected = expected


Kind = Literal["(", ")", "OR", "AND", "NOT", "text", "field", "end"]

_SPACE: Final = re.compile(r"\s*")
_WORD: Final = re.compile(r"[^\s()]+")
_FIELD: Final = re.compile(r"([A-Za-z]{1,20})(:|>=|<=|>|<|=)")
_COMPARISON: Final = re.compile(r">=|<=|>|<|=")
_BARE_VALUE: Final = re.compile(r"[^\s(),\"]+")
_KEYWORDS: Final[dict[str, Kind]] = {"OR": "OR", "AND": "AND", "NOT": "NOT"}


class Value(NamedTuple):
    """A value of a field and its position."""

    text: str
    position: int


@dataclass(frozen=True, slots=True)
class Token:
    """A token; for a field, `text` is its name, with `operator` and `values`."""

    kind: Kind
    text: str
    position: int
    operator: str = ""
    values: tuple[Value, ...] = ()


class Lexer:
    """Split a query into tokens; `fields` are the names allowed before an operator."""

    def __init__(self, query: str, fields: tuple[str, ...], with_colon_only: tuple[str, ...]) -> None:
        self._query = query
        self._fields = fields
        self._colon_only = with_colon_only
        self._at = 0

    def tokens(self) -> Iterator[Token]:
        """Yield every token and an `end`. Raises QueryError."""
        while True:
            self._at = self._match(_SPACE).end()
            if self._at >= len(self._query):
                yield Token("end", "", self._at)
                return
            yield self._next()

    def _next(self) -> Token:
        start, char = self._at, self._query[self._at]
        if char == "(" or char == ")":
            self._at += 1
            return Token("(" if char == "(" else ")", char, start)
        if char == '"':
            return Token("text", self._quoted().text, start)
        if char == "-" and self._starts_term(start + 1):
            self._at += 1
            return Token("NOT", char, start)
        return self._field() or self._word()

    def _starts_term(self, at: int) -> bool:
        return at < len(self._query) and not self._query[at].isspace() and self._query[at] not in "-)"

    def _word(self) -> Token:
        start, word = self._at, self._match(_WORD)
        self._at = word.end()
        return Token(_KEYWORDS.get(word[0], "text"), word[0], start)

    def _field(self) -> Token | None:
        head = _FIELD.match(self._query, self._at)
        if head is None:
            return None
        start, name, operator = self._at, head[1].lower(), head[2]
        if name not in self._fields:
            if operator != ":" or self._query[head.end() : head.end() + 1] in ("/", "\\"):
                return None  # a URL, a drive path or a formula is text
            raise QueryError(start, f"a field ({', '.join(self._fields)}); quote the term if it is text")
        self._at = head.end()
        if operator == ":" and name not in self._colon_only and (sign := self._try(_COMPARISON)):
            operator = sign
        return Token("field", name, start, operator, tuple(self._values(name)))

    def _values(self, name: str) -> Iterator[Value]:
        while True:
            yield self._value(name)
            if self._query[self._at : self._at + 1] != ",":
                return
            self._at += 1

    def _value(self, name: str) -> Value:
        start = self._at
        if self._query[start : start + 1] == '"':
            value = self._quoted()
        else:
            value = Value(self._try(_BARE_VALUE), start)
        if not value.text:
            raise QueryError(start, f"a value for {name}")
        return value

    def _quoted(self) -> Value:
        start = self._at
        end = self._query.find('"', start + 1)
        if end < 0:
            raise QueryError(len(self._query), "a closing quote")
        self._at = end + 1
        return Value(self._query[start + 1 : end], start)

    def _try(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._query, self._at)
        self._at = found.end() if found else self._at
        return found[0] if found else ""

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str]:
        found = pattern.match(self._query, self._at)
        assert found is not None
        return found
