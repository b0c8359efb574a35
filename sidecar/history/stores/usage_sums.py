"""Add up what sessions used. Pure."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final, TypeVar

from sidecar.api.stored.tasks import SubtreeUsage, TokenUsage
from sidecar.history.stores.trees import cycles, leaves_first

K = TypeVar("K")
_FIGURES: Final = SubtreeUsage.__struct_fields__


class UsageSum:
    """The exact sum of usages, which does not depend on their order."""

    def __init__(self) -> None:
        self._figures: dict[str, int | Fraction] = {}
        self._is_priced = True

    def add(self, used: TokenUsage) -> None:
        """Add what one session used itself."""
        for name in _FIGURES:
            value = getattr(used, name)
            if value is not None:
                self._plus(name, value if isinstance(value, int) else Fraction(value))
        self._is_priced &= used.cost is not None or used.total is None

    def merge(self, other: "UsageSum") -> None:
        """Add another sum."""
        for name, value in other._figures.items():
            self._plus(name, value)
        self._is_priced &= other._is_priced

    def usage(self) -> SubtreeUsage:
        """Return the sum. The cost is known only if every usage with tokens has one."""
        figures = {
            name: value if isinstance(value, int) else float(value) for name, value in self._figures.items()
        }
        if not self._is_priced:
            figures.pop("cost", None)
        return SubtreeUsage(**figures)

    def _plus(self, name: str, value: int | Fraction) -> None:
        known = self._figures.get(name)
        self._figures[name] = value if known is None else known + value


def subtree_sums(parents: Mapping[K, K], own: Mapping[K, TokenUsage]) -> dict[K, UsageSum]:
    """Sum each parent together with all its descendants, in linear time.

    `parents` is the parent of each child, `own` what each of them used itself. The members of a cycle descend
    from each other, so that all of them have the same sum, in which each counts once.
    """
    sums: dict[K, UsageSum] = {}
    for key in parents.keys() | {*parents.values()}:
        sums[key] = UsageSum()
        sums[key].add(own[key])
    for key in leaves_first(parents):
        if key in parents:
            sums[parents[key]].merge(sums[key])
    for first, *others in cycles(parents):
        for key in others:
            sums[first].merge(sums[key])
            sums[key] = sums[first]
    return sums
