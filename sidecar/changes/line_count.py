"""Count the lines that a change adds and deletes. Pure, and bounded in time for texts of any size."""

from collections.abc import Sequence
from typing import Final

MOST_LINES: Final = 100_000
"""The most lines of both texts together to compare; in larger texts every line counts as changed."""
_MOST_SHARED: Final = 40_000
"""The most lines of both texts together to compare if more than a few differ."""
_FEW_STEPS: Final = 1_000
_MANY_STEPS: Final = 5_000
"""The most steps of a search for common lines; 4,000 take about two milliseconds."""
_LINES_PER_STEP: Final = 10
"""How many lines take as long to prepare as one step of the search."""
_RUN: Final = 32
"""How many lines to compare at once where two texts agree."""


def count_lines(old: str, new: str) -> tuple[int, int]:
    r"""Count the lines added and deleted between two texts.

    A line ends with `\n`, which is optional for the last line. The counts are minimal for typical edits. For
    texts that differ in very many places they are larger, as if common lines had been deleted and added
    again. The difference of the two counts is always exact.
    """
    if old.count("\n") + new.count("\n") > MOST_LINES:
        return _length(new), _length(old)
    before, after = _lines(old), _lines(new)
    kept, is_exact = _common(before, after, _FEW_STEPS)
    if not is_exact and len(before) + len(after) <= _MOST_SHARED:
        kept = max(kept, _common_of_shared(before, after))
    return len(after) - kept, len(before) - kept


def _length(text: str) -> int:
    return text.count("\n") + (text[-1:] not in ("", "\n"))


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _common_of_shared(before: Sequence[str], after: Sequence[str]) -> int:
    """Search without the lines that only one text contains, each of which would cost a step."""
    known = set(after)
    shared_before = [line for line in before if line in known]
    if not shared_before:
        return 0
    known = set(shared_before)
    shared_after = [line for line in after if line in known]
    lines = len(shared_before) + len(shared_after)
    return _common(shared_before, shared_after, _MANY_STEPS - lines // _LINES_PER_STEP)[0]


def _common(before: Sequence[str], after: Sequence[str], steps: int) -> tuple[int, bool]:
    """Return how many lines both texts have in the same order, and whether this is the maximum.

    This is the greedy search in Myers, "An O(ND) Difference Algorithm and Its Variations" (1986): `reach[k]`
    is how far into `before` an edit script of `edits` lines gets on diagonal `k`. When the steps run out, use
    the best script so far.
    """
    height, width = len(before), len(after)
    reach = {1: 0}
    for edits in range(height + width + 1):
        for k in range(-edits, edits + 1, 2):
            down = k == -edits or (k != edits and reach[k - 1] < reach[k + 1])
            start = reach[k + 1] if down else reach[k - 1] + 1
            reach[k] = at = _slide(before, after, start, k)
            steps -= 1 + (at - start) // _RUN
            if at >= height and at - k >= width:
                return (height + width - edits) // 2, True
        if steps < 0:
            break
    inside = (2 * at - k - edits for k, at in reach.items() if at <= height and 0 <= at - k <= width)
    return max(inside, default=0) // 2, False


def _slide(before: Sequence[str], after: Sequence[str], at: int, k: int) -> int:
    """Follow a diagonal while the lines are equal."""
    end = min(len(before), len(after) + k)
    if at >= end or before[at] != after[at - k]:
        return at
    while at + _RUN <= end and before[at : at + _RUN] == after[at - k : at - k + _RUN]:
        at += _RUN
    while at < end and before[at] == after[at - k]:
        at += 1
    return at
