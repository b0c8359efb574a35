"""How long a run on a cluster has been silent."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

_SUSPENDED_SECONDS = 1.0
"""A wait that takes this much too long shows that this process was suspended."""
_BLINK = 0.01


class Silence:
    """Count the seconds since the last message of a run, on the clock of the event loop."""

    def __init__(self, limit: float, reserve: float) -> None:
        """`reserve` is how long, at least, a run is asked after this process was suspended."""
        self._limit = limit
        self._reserve = reserve
        self._now = asyncio.get_running_loop().time
        self._last = self._now()
        self._may_wait = True

    def heard(self, ago: float = 0.0) -> None:
        """Note a message of the run, or that the run counts as silent since `ago` seconds."""
        self._last = self._now() - ago
        self._may_wait = True

    @property
    def left(self) -> float:
        """The seconds until the run counts as lost; 0 if it does."""
        left = self._last + self._limit - self._now()
        return left if left > _BLINK else 0.0

    @contextmanager
    def waiting(self, most: float) -> Iterator[None]:
        """Wait for the run for at most `most` seconds.

        If it takes much longer, this process was suspended; the run is then asked before it counts as lost.
        """
        began = self._now()
        try:
            yield
        finally:
            if self._now() - began > most + _SUSPENDED_SECONDS:
                self._leave(self._reserve)

    @contextmanager
    def connecting(self) -> Iterator[None]:
        """Connect to the cluster, which takes long on a busy machine.

        The run then gets the same time to answer, at most a third of the limit and once in a silence.
        """
        began = self._now()
        yield
        seconds = min(self._now() - began, self._limit / 3)
        if self._may_wait and self.left < seconds:
            self._may_wait = False
            self._leave(seconds)

    def _leave(self, seconds: float) -> None:
        """Give the run at least this much time to answer."""
        self._last = max(self._last, self._now() - self._limit + seconds)
