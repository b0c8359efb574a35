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
    """`field:a,b` over a field of text, values case-folded: one of them must fit."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Number:
    """`field>5` over a numeric field: one of the values must compare so."""

    field: str
    comparison: Comparison
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Activity:
    """`since:` (>=) and `until:` (<=): a time in ms, or an age in ms before the time of asking."""

    comparison: Literal[">=", "<="]
    value: int
    is_age: bool


@dataclass(frozen=True, slots=True)
class Extent:
    """`created>2026-01-31`, `active<2h`, `duration=30m`: a value in ms against the extent of a day or unit.

    With `is_age` the time from the value to that of asking is compared.
    """

    field: str
    comparison: Comparison
    first: int
    last: int
    is_age: bool = False


@dataclass(frozen=True, slots=True)
class Not:
    """What the part does not keep."""

    part: "Node"


@dataclass(frozen=True, slots=True)
class All:
    """What every part keeps; without parts everything."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """What at least one part keeps."""

    parts: tuple["Node", ...]


Node = Text | Words | Number | Activity | Extent | Not | All | AnyOf
