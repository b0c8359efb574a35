"""`Array.prototype.sort` as V8 does it, for a comparison that NaN makes inconsistent.

With NaN equal to everything, equality is not transitive, and the outcome depends on which pairs are
compared. V8 sorts by TimSort (its description: T. Peters, "listsort"); this is that algorithm with V8's
rule of merging, so that a list with NaN has the same order as in Node. A merge from the right is a mirrored
merge from the left: both runs and the comparison are reversed.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

T = TypeVar("T")
_Keyed = tuple[float, Any]
_Less = Callable[[_Keyed, _Keyed], bool]

_MIN_GALLOP = 7
_MAX_SHORT = 64  # lists below this are one run, sorted by insertion


def sort_by(items: Iterable[T], key: Callable[[T], float]) -> list[T]:
    """Sort ascending by `key`, stable; a NaN key equals every other."""
    keyed = [(key(item), item) for item in items]
    if any(math.isnan(value) for value, _ in keyed):
        _TimSort(keyed).run()
    else:
        keyed.sort(key=lambda pair: pair[0])
    return [item for _, item in keyed]


def _less(left: _Keyed, right: _Keyed) -> bool:
    return left[0] < right[0]


def _greater(left: _Keyed, right: _Keyed) -> bool:
    return right[0] < left[0]


class _TimSort:
    def __init__(self, items: list[Any]) -> None:
        self._items: list[_Keyed] = items
        self._runs: list[tuple[int, int]] = []  # start and length of each sorted run, left to right
        self._min_gallop = _MIN_GALLOP

    def run(self) -> None:
        """Sort the list in place."""
        low, size = 0, len(self._items)
        shortest = _shortest_run(size)
        while low < size:
            length = self._make_run(low)
            if length < shortest:
                forced = min(shortest, size - low)
                self._insert(low, low + length, low + forced)
                length = forced
            self._runs.append((low, length))
            self._restore_balance()
            low += length
        while len(self._runs) > 1:
            self._merge_at(self._smaller_neighbor(len(self._runs) - 2))

    def _make_run(self, low: int) -> int:
        """Find the run that starts at `low`, reverse it if it descends, and return its length."""
        items, end = self._items, low + 1
        if end == len(items):
            return 1
        falling = _less(items[end], items[end - 1])
        while end < len(items) and _less(items[end], items[end - 1]) == falling:
            end += 1
        if falling:
            items[low:end] = items[low:end][::-1]
        return end - low

    def _insert(self, low: int, start: int, high: int) -> None:
        """Insert the items from `start` to `high` into the sorted ones before them, by binary search."""
        items = self._items
        for at in range(start, high):
            pivot, left, right = items[at], low, at
            while left < right:
                middle = (left + right) // 2
                if _less(pivot, items[middle]):
                    right = middle
                else:
                    left = middle + 1
            items[left : at + 1] = [pivot, *items[left:at]]

    def _restore_balance(self) -> None:
        """Merge until each run is longer than the next two together."""
        while len(self._runs) > 1:
            at = len(self._runs) - 2
            if not (self._balanced(at + 1) and self._balanced(at)):
                self._merge_at(self._smaller_neighbor(at))
            elif self._runs[at][1] <= self._runs[at + 1][1]:
                self._merge_at(at)
            else:
                return

    def _balanced(self, at: int) -> bool:
        runs = self._runs
        return at < 2 or runs[at - 2][1] > runs[at - 1][1] + runs[at][1]

    def _smaller_neighbor(self, at: int) -> int:
        return at - 1 if at > 0 and self._runs[at - 1][1] < self._runs[at + 1][1] else at

    def _merge_at(self, at: int) -> None:
        """Merge two neighboring runs, except for items at both ends that are in place already."""
        (base, left_length), (middle, right_length) = self._runs[at : at + 2]
        self._runs[at : at + 2] = [(base, left_length + right_length)]
        end = middle + right_length
        left, right = self._items[base:middle], self._items[middle:end]
        first = right[0]
        in_place = _gallop(lambda i: not _less(first, left[i]), left_length, False)
        left = left[in_place:]
        if not left:
            return
        last = left[-1]
        behind = _gallop(lambda i: not _less(right[-1 - i], last), right_length, True)
        right = right[: right_length - behind]
        if not right:
            return
        self._items[base + in_place : end - behind] = self._merge(left, right)

    def _merge(self, left: list[_Keyed], right: list[_Keyed]) -> list[_Keyed]:
        if len(left) <= len(right):
            merge = _Merge(left, right, _less, False, self._min_gallop)
        else:
            merge = _Merge(right[::-1], left[::-1], _greater, True, self._min_gallop)
        merged = merge.run()
        self._min_gallop = merge.min_gallop
        return merged[::-1] if merge.mirrored else merged


class _Merge:
    """Merges a run that was copied aside with one in the working area; of equal items, `aside` is first."""

    def __init__(
        self, aside: list[_Keyed], work: list[_Keyed], less: _Less, mirrored: bool, min_gallop: int
    ) -> None:
        self._aside, self._work, self._less = aside, work, less
        self._a = self._w = 0
        self._out: list[_Keyed] = []
        self.mirrored = mirrored
        self.min_gallop = min_gallop

    def run(self) -> list[_Keyed]:
        """Return the merged run."""
        self._take_work(1)
        while not self._ended():
            self._one_by_one()
            if not self._ended():
                self._galloping()
        last = self._aside[self._a :]
        rest = self._work[self._w :]
        return self._out + rest + last

    def _ended(self) -> bool:
        """Return whether the rest needs no comparison: the last item aside comes after the working area."""
        return self._a >= len(self._aside) - 1 or self._w >= len(self._work)

    def _take_work(self, count: int) -> None:
        self._out += self._work[self._w : self._w + count]
        self._w += count

    def _take_aside(self, count: int) -> None:
        self._out += self._aside[self._a : self._a + count]
        self._a += count

    def _one_by_one(self) -> None:
        """Merge item by item until one run wins `min_gallop` times in a row."""
        aside_wins = work_wins = 0
        while not self._ended() and max(aside_wins, work_wins) < self.min_gallop:
            if self._less(self._work[self._w], self._aside[self._a]):
                self._take_work(1)
                aside_wins, work_wins = 0, work_wins + 1
            else:
                self._take_aside(1)
                aside_wins, work_wins = aside_wins + 1, 0

    def _galloping(self) -> None:
        """Merge whole stretches while they are long; raise the threshold for galloping if they are short."""
        self.min_gallop += 1
        stretches = (_MIN_GALLOP, 0)
        while max(stretches) >= _MIN_GALLOP:
            self.min_gallop = max(1, self.min_gallop - 1)
            # V8 searches the left run first, which is the working area in a mirrored merge.
            first, second = self._gallop_aside, self._gallop_work
            if self.mirrored:
                first, second = second, first
            won = first()
            if self._ended():
                return
            stretches = (won, second())
            if self._ended():
                return
        self.min_gallop += 1

    def _gallop_aside(self) -> int:
        """Take the stretch aside that comes before the next item of the working area, then that item."""
        key, aside, at = self._work[self._w], self._aside, self._a
        count = _gallop(lambda i: not self._less(key, aside[at + i]), len(aside) - at, self.mirrored)
        self._take_aside(count)
        if not (count and self._ended()):
            self._take_work(1)
        return count

    def _gallop_work(self) -> int:
        """Take the stretch of the working area that comes before the next item aside, then that item."""
        key, work, at = self._aside[self._a], self._work, self._w
        count = _gallop(lambda i: self._less(work[at + i], key), len(work) - at, self.mirrored)
        self._take_work(count)
        if not (count and self._ended()):
            self._take_aside(1)
        return count


def _gallop(taken: Callable[[int], bool], length: int, mirrored: bool) -> int:
    """Count the items at the start that are taken: by growing steps, then by binary search.

    The taken ones are assumed to be a prefix; which ones are compared matters if there is a NaN. A
    mirrored merge halves an even stretch at its other middle.
    """
    if not taken(0):
        return 0
    last, offset = 0, 1
    while offset < length and taken(offset):
        last, offset = offset, 2 * offset + 1
    low, high = last + 1, min(offset, length)
    while low < high:
        middle = low + (high - low - mirrored) // 2
        if taken(middle):
            low = middle + 1
        else:
            high = middle
    return low


def _shortest_run(size: int) -> int:
    """Choose 32 to 64 items, so that their number of runs is just below a power of two."""
    odd = 0
    while size >= _MAX_SHORT:
        odd |= size & 1
        size >>= 1
    return size + odd
