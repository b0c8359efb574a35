"""The search for changes that no watch announced: every task's files are compared, a slice at a time.

A slice a second instead of a walk now and then keeps the pauses short for whoever asks for a list meanwhile,
and bounds what it costs: some 10 us a task.
"""

import math
import time
from collections.abc import Iterator, Sequence
from typing import Final

from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.history.stores.contract import Keys

ROUND_SECONDS: Final = 8.0
"""For a round over all tasks: with reading what changed, no change of 5,000 tasks waits for 10 s."""
STEPS: Final = 8
"""The slices of a round, as long as they are small enough."""
MOST: Final = 770
"""Tasks in a slice: a round over 20,000 takes 26 steps, so that no change of them waits for 30 s."""


class Sweep:
    """Goes over the tasks of all roots, round after round. For one thread; `restart` it first."""

    def __init__(self, catalogs: Sequence[RootCatalog], round_seconds: float = ROUND_SECONDS) -> None:
        self.pause = round_seconds / STEPS
        """From one step to the next, in seconds."""
        self._catalogs = catalogs
        self._left: list[tuple[RootCatalog, Keys]] = []
        self._slice = 0
        self._steps = 0
        self._listed: dict[str, object] = {}
        self._next = 0.0

    def restart(self) -> None:
        """Begin a round a pause from now, since all tasks have just been compared."""
        self._steps = 0
        self._next = time.monotonic() + self.pause

    def wait(self) -> float:
        """How long until the next step, in seconds."""
        return max(0.0, self._next - time.monotonic())

    def step(self, now: int) -> bool:
        """Have the next slice compared, and read what changed; tell whether a round ended. `now` in ms."""
        self._next = max(self._next + self.pause, time.monotonic())
        for catalog in self._catalogs:
            if catalog.clock_went_back(now):
                catalog.reconcile(now)
        if self._steps == 0:
            self._begin(now)
        else:
            self._list_what_changed(now)
        for catalog, names in self._take():
            if changed := catalog.changed(names, now):
                catalog.touch(changed, now)
        self._steps -= 1
        return self._steps == 0

    def list_folders(self, now: int) -> None:
        """Read tasks whose folders appeared, and take out those whose folders are gone; `now` in ms."""
        for catalog in self._catalogs:
            self._list(catalog, now)

    def _begin(self, now: int) -> None:
        self._left = [(catalog, self._list(catalog, now)) for catalog in self._catalogs]
        total = sum(len(names) for _, names in self._left)
        self._steps = max(STEPS, math.ceil(total / MOST))
        self._slice = math.ceil(total / self._steps)

    def _take(self) -> Iterator[tuple[RootCatalog, Keys]]:
        room = self._slice
        while room > 0 and self._left:
            catalog, names = self._left[-1]
            taken = names[-room:]
            del names[-room:]
            if not names:
                self._left.pop()
            room -= len(taken)
            yield catalog, taken

    def _list_what_changed(self, now: int) -> None:
        for catalog in self._catalogs:
            if _stamp(catalog) != self._listed.get(catalog.root.path):
                self._list(catalog, now)

    def _list(self, catalog: RootCatalog, now: int) -> Keys:
        # Stamped first: what changes while the folder is listed is found by the next step.
        self._listed[catalog.root.path] = _stamp(catalog)
        rows = catalog.rows("structural")
        names = catalog.members()
        strays = rows.keys() ^ names
        if strays:
            catalog.touch(strays, now)
        return names


def _stamp(catalog: RootCatalog) -> object:
    return catalog.store.members_version()
