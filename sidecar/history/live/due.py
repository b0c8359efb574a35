"""When to read what changed: at once, and then at most so often."""

from collections.abc import Hashable, Iterable
from typing import Final, Generic, TypeVar

READ_SECONDS: Final = 0.25
"""The shortest time between two readings of one task or list, however often it is written."""

Key = TypeVar("Key", bound=Hashable)


class Due(Generic[Key]):
    """Keys to be read, each not before `READ_SECONDS` after it was last taken. Times are in seconds."""

    def __init__(self) -> None:
        self._due: dict[Key, float] = {}
        self._taken: dict[Key, float] = {}

    def add(self, keys: Iterable[Key], now: float) -> None:
        """Have keys read as soon as may be."""
        for key in keys:
            self._due.setdefault(key, max(now, self._taken.get(key, 0) + READ_SECONDS))

    def take(self, now: float) -> list[Key]:
        """Take the keys whose time has come."""
        taken = [key for key, at in self._due.items() if at <= now]
        if taken:
            self._taken = {key: at for key, at in self._taken.items() if now - at < READ_SECONDS}
        for key in taken:
            del self._due[key]
            self._taken[key] = now
        return taken

    def wait(self, now: float) -> float:
        """How long until the time of the next key, infinite without one."""
        return max(0.0, min(self._due.values(), default=float("inf")) - now)
