"""Limit how often a changed task or list is read: at once, then once per `READ_SECONDS`."""

from collections.abc import Hashable, Iterable
from typing import Final, Generic, TypeVar

READ_SECONDS: Final = 0.25
"""The shortest time between two reads of the same task or list."""

Key = TypeVar("Key", bound=Hashable)


class ReadSchedule(Generic[Key]):
    """Keys to read, each no earlier than `READ_SECONDS` after it was last taken. Times are in seconds."""

    def __init__(self) -> None:
        self._due: dict[Key, float] = {}
        self._taken: dict[Key, float] = {}

    def add(self, keys: Iterable[Key], now: float) -> None:
        """Schedule keys for the earliest time that the limit allows."""
        for key in keys:
            self._due.setdefault(key, max(now, self._taken.get(key, 0) + READ_SECONDS))

    def take(self, now: float) -> list[Key]:
        """Remove and return the keys that are due."""
        taken = [key for key, at in self._due.items() if at <= now]
        if taken:
            self._taken = {key: at for key, at in self._taken.items() if now - at < READ_SECONDS}
        for key in taken:
            del self._due[key]
            self._taken[key] = now
        return taken

    def wait(self, now: float) -> float:
        """Return the seconds until the next key is due, infinite when no keys are scheduled."""
        return max(0.0, min(self._due.values(), default=float("inf")) - now)
