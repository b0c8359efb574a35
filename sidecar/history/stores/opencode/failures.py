"""Which sessions of a database could not be read lately, and when to try them again."""

import time
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from sidecar.api.stored.tasks import Problem

_AGAIN_SECONDS: Final = 10.0
"""When something that could not be read for a moment is read again, even if it did not change."""
_PATIENCE: Final = 20
"""After at least how many times as long as the last try took."""


def pause_after(took: float) -> float:
    """Return how long to wait after a try that took this long, both in seconds."""
    return max(_AGAIN_SECONDS, rest_after(took))


def rest_after(took: float) -> float:
    """Return how long to wait even if the database changes: failures must take a small part of the time."""
    return _PATIENCE * took


class _Failure(NamedTuple):
    """How often a session made a reading fail, when to try it again by the monotonic clock, and why."""

    times: int
    again: float
    problem: Problem | None


_NEVER: Final = _Failure(0, 0.0, None)


class Failures:
    """The sessions that could not be read, each with the time of its next try. Not thread-safe."""

    def __init__(self) -> None:
        self._known: dict[str, _Failure] = {}

    @property
    def problem(self) -> Problem | None:
        """Return why sessions could not be read; None if all could."""
        return next(reversed(self._known.values())).problem if self._known else None

    def reasons(self, keys: Iterable[str]) -> dict[str, Problem]:
        """Return why sessions could not be read."""
        known = ((key, self._known.get(key, _NEVER).problem) for key in keys)
        return {key: why for key, why in known if why is not None}

    def in_order(self, keys: Iterable[str]) -> list[str]:
        """Return the sessions that never failed, and then the others: one of them may fail for all."""
        return sorted(keys, key=lambda key: self._known.get(key, _NEVER)[:2]) if self._known else [*keys]

    def waiting(self, keys: Iterable[str]) -> set[str]:
        """Return the sessions whose next try is not due yet."""
        now = time.monotonic()
        return {key for key in self.among(keys) if self._known[key].again > now}

    def among(self, keys: Iterable[str]) -> set[str]:
        """Return the sessions that failed."""
        return {key for key in keys if key in self._known} if self._known else set()

    def note(self, keys: Iterable[str], failed: str | None, took: float, problem: Problem) -> None:
        """Note sessions that were not read because one, None if not known, failed after `took` seconds."""
        now = time.monotonic()
        for key in keys:
            times, again, _ = self._known.get(key, _NEVER)
            is_cause = failed in (key, None)
            pause = pause_after(took if is_cause else 0.0)
            self._known[key] = _Failure(times + is_cause, max(again, now + pause), problem)

    def forget(self, keys: Iterable[str]) -> None:
        """Forget sessions that were read."""
        for key in keys if self._known else ():
            self._known.pop(key, None)

    def keep(self, keys: Collection[str]) -> None:
        """Forget all sessions but these."""
        self._known = {key: failure for key, failure in self._known.items() if key in keys}
