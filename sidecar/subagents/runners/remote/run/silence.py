"""How long a run on a cluster has been silent."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

_SUSPENDED_SECONDS = 1.0
"""A wait that takes this much too long shows that this process was suspended."""
_BLINK = 0.01


class Silence:
    """Count the seconds since the last word of a run, on the clock of the event loop."""

    def __init__(self, limit: float, reserve: float) -> None:
        """`reserve` is how long a run is asked at least after this process was suspended."""
        self._limit = limit
        self._reserve = reserve
        self._now = asyncio.get_running_loop().time
        self._last = self._now()
        self._may_wait = True

    def heard(self) -> None:
        """Note a word of the run."""
        self._last = self._now()
        self._may_wait = True

    @property
    def left(self) -> float:
        """The seconds until the run counts as lost; 0 if it does."""
        left = self._last + self._limit - self._now()
        return left if left > _BLINK else 0.0

    @contextmanager
    def waiting(self, most: float) -> Iterator[None]:
        """Wait for the run for at most `most` seconds.

        What takes longer was a silence of this process, after which the run is asked before it is lost.
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

        The run then gets as much time to answer, at most a third of the limit, once in a silence.
        """
        began = self._now()
        yield
        seconds = min(self._now() - began, self._limit / 3)
        if self._may_wait and self.left < seconds:
            self._may_wait = False
            self._leave(seconds)

    def _leave(self, seconds: float) -> None:
        """Leave the run at least this time to answer."""
        self._last = max(self._last, self._now() - self._limit + seconds)
