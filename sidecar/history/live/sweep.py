"""Find changes that no watch reported by comparing the files of all tasks, one slice at a time.

One slice a second, rather than an occasional scan of everything, keeps requests for lists from waiting long
and bounds the cost: about 10 us per task.
"""

import math
import time
from collections.abc import Iterator, Sequence
from typing import Final

from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.history.stores.contract import Keys

ROUND_SECONDS: Final = 8.0
"""The length of a round over all tasks: with 5,000 tasks, each change is read within 10 s."""
STEPS: Final = 8
"""The number of slices in a round over few tasks."""
MAX_SLICE: Final = 770
"""The most tasks in a slice: a round over 20,000 takes 26 steps, so each change is read within 30 s."""
FEW: Final = 5_000
"""Up to how many tasks a round takes `STEPS`; from 10,000 on it takes `MOST_STEPS`."""
MOST_STEPS: Final = 26
MAX_WATCHED: Final = 1_000
"""How many tasks of a root in watched folders are compared in each round; more take turns."""
MOST_TURNS: Final = 12
"""The most rounds until each of them is compared: 10,000 take 5 minutes."""


class Sweep:
    """Check the tasks of all roots, round after round. Not thread-safe; call `restart` first."""

    def __init__(self, catalogs: Sequence[RootCatalog], round_seconds: float = ROUND_SECONDS) -> None:
        self.pause = round_seconds / STEPS
        """Seconds between two steps."""
        self._has_watches = False
        self._may_have_missed = False
        self._rounds = 0
        self._catalogs = catalogs
        self._left: list[tuple[RootCatalog, Keys]] = []
        self._slice = 0
        self._steps = 0
        self._listed: dict[str, object] = {}
        self._next = 0.0

    def restart(self) -> None:
        """Start a round after one pause, because all tasks have just been compared."""
        self._steps = 0
        self._next = time.monotonic() + self.pause

    def set_watched(self, has_watches: bool) -> None:
        """Note whether changes in the shared folders of stores are reported.

        Those of other machines never are. The next round compares all tasks, because changes may have been
        missed before the watches were open.
        """
        self._has_watches = has_watches
        self._may_have_missed = True

    def wait(self) -> float:
        """Return the seconds until the next step."""
        return max(0.0, self._next - time.monotonic())

    def step(self, now: int) -> bool:
        """Compare the next slice and read changed tasks; return whether a round ended. `now` is in ms."""
        self._next = max(self._next + self.pause, time.monotonic())
        for catalog in self._catalogs:
            is_empty = self._steps == 0 and not catalog.rows("structural")
            if is_empty or catalog.clock_went_back(now):  # the content of an empty root decides what it is
                catalog.reconcile(now)
        if self._steps == 0:
            self._begin(now)
        elif not (self._has_watches and self._steps % 2):  # new names are mostly reported
            self._list_changed(now)
        for catalog, names in self._take():
            if changed := catalog.changed(names, now):
                catalog.touch(changed, now)
        self._steps -= 1
        return self._steps == 0

    def list_folders(self, now: int) -> None:
        """Read tasks with new folders and remove those without a folder; `now` is in ms."""
        for catalog in self._catalogs:
            self._list(catalog, now)

    def _begin(self, now: int) -> None:
        for catalog in self._catalogs:
            catalog.recognize()
        self._rounds += 1
        members = [(catalog, self._list(catalog, now)) for catalog in self._catalogs]
        total = sum(len(names) for _, names in members)
        self._steps = max(_unhurried(total), math.ceil(total / MAX_SLICE))
        self._left = [(catalog, self._due(catalog, names)) for catalog, names in members]
        self._may_have_missed = False
        self._slice = math.ceil(sum(len(names) for _, names in self._left) / self._steps)

    def _due(self, catalog: RootCatalog, names: Keys) -> Keys:
        """Return what is compared in this round: of very many tasks in watched folders, a part."""
        if not self._has_watches or self._may_have_missed or len(names) <= MAX_WATCHED:
            return names
        is_watched = catalog.store.is_always_watched
        watched = [name for name in names if is_watched(name)]
        every = min(MOST_TURNS, math.ceil(len(watched) / MAX_WATCHED))
        if every < 2:
            return names
        # By hash instead of by place, because places change with each new task.
        turn = self._rounds % every
        due = [name for name in watched if hash(name) % every == turn]
        return [name for name in names if not is_watched(name)] + due

    def _take(self) -> Iterator[tuple[RootCatalog, Keys]]:
        remaining = self._slice
        while remaining > 0 and self._left:
            catalog, names = self._left[-1]
            taken = names[-remaining:]
            del names[-remaining:]
            if not names:
                self._left.pop()
            remaining -= len(taken)
            yield catalog, taken

    def _list_changed(self, now: int) -> None:
        for catalog in self._catalogs:
            if _version(catalog) != self._listed.get(catalog.root.path):
                self._list(catalog, now)

    def _list(self, catalog: RootCatalog, now: int) -> Keys:
        # Record the version first: the next step finds changes that happen during the listing.
        self._listed[catalog.root.path] = _version(catalog)
        rows = catalog.rows("structural")
        names = catalog.members()
        differences = rows.keys() ^ names
        if differences:
            catalog.touch(differences, now)
        return names


def _unhurried(total: int) -> int:
    """Return the steps of a round over `total` tasks that keeps the cost of each second low."""
    share = min(1.0, max(0, total - FEW) / FEW)
    return STEPS + math.ceil(share * (MOST_STEPS - STEPS))


def _version(catalog: RootCatalog) -> object:
    return catalog.store.members_version()
