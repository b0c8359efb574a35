"""Order tasks by their parents, even if tasks name each other as parents. Pure."""

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from typing import TypeVar

K = TypeVar("K")


def leaves_first(parents: Mapping[K, K]) -> Iterator[K]:
    """Order tasks so that each comes before its parent; cycles are left out."""
    waiting = Counter(parents.values())
    ready = deque(key for key in parents if not waiting[key])
    while ready:
        key = ready.popleft()
        yield key
        parent = parents.get(key)
        if parent is not None:
            waiting[parent] -= 1
            if not waiting[parent]:
                ready.append(parent)


def cycles(parents: Mapping[K, K]) -> Iterator[list[K]]:
    """Iterate over the tasks of each cycle, which are all those that `leaves_first` leaves out."""
    left = dict.fromkeys(parents)
    for key in leaves_first(parents):
        left.pop(key, None)
    while left:
        first = key = next(iter(left))
        cycle = [first]
        while (key := parents[key]) != first:
            cycle.append(key)
        for key in cycle:
            del left[key]
        yield cycle
