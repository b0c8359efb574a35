"""How long a run on a cluster has been silent."""

import asyncio


class Silence:
    """Count the seconds since the last word of a run, on the clock of the event loop."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._now = asyncio.get_running_loop().time
        self._last = self._now()

    def heard(self) -> None:
        """Note a word of the run."""
        self._last = self._now()

    @property
    def left(self) -> float:
        """The seconds until the run counts as lost; 0 if it does."""
        return max(0.0, self._last + self._limit - self._now())
