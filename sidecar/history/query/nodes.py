"""The parsed form of a query."""

from dataclasses import dataclass
from typing import Literal

Comparison = Literal[">", ">=", "<", "<=", "="]


@dataclass(frozen=True, slots=True)
class Text:
    """A free term, case-folded."""

    text: str


@dataclass(frozen=True, slots=True)
class Words:
    """`field:a,b` on a text field, values case-folded: one must match."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Number:
    """`field>5` on a numeric field: the comparison must hold for one of the values."""

    field: str
    comparison: Comparison
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Activity:
    """`since:` (>=) and `until:` (<=): a time in ms, or an age in ms before now."""

    comparison: Literal[">=", "<="]
    value: int
    is_age: bool


@dataclass(frozen=True, slots=True)
class Extent:
    """`created>2026-01-31`, `active<2h`, `duration=30m`: a value in ms against the extent of a day or unit.

    With `is_age` the age of the value is compared.
    """

    field: str
    comparison: Comparison
    first: int
    last: int
    is_age: bool = False


@dataclass(frozen=True, slots=True)
class Not:
    """Keeps the rows that the part does not keep."""

    part: "Node"


@dataclass(frozen=True, slots=True)
class All:
    """Keeps the rows that all parts keep; without parts, all rows."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Keeps the rows that at least one part keeps."""

    parts: tuple["Node", ...]


Node = Text | Words | Number | Activity | Extent | Not | All | AnyOf
