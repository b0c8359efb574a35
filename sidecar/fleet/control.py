"""Watch the control service of the cluster, without which Ray ends all runs after a minute."""

import asyncio
import logging

from sidecar.fleet.cluster import Cluster

logger = logging.getLogger(__name__)

_PAUSE_SECONDS = 2.0
_ANSWER_SECONDS = 4.0
_TRIES = 2
"""How often it must fail to answer. A single failure may be this process, if it was suspended."""
_MARGIN_SECONDS = 1.0
"""How long a message may take to its reader, so that a run is lost in time."""


class ControlService:
    """Ask the control service again and again whether it is there: the lines of runs come without it."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._answered_at = 0.0
        self._failures = 0
        self._watching: asyncio.Task[None] | None = None

    def watch(self) -> None:
        """Begin to watch it, once."""
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch(), name="control service")

    @property
    def silence(self) -> float:
        """For how many seconds it has been gone, rather too many than too few; 0 if it answers."""
        if self._failures < _TRIES:
            return 0.0
        return asyncio.get_running_loop().time() - self._answered_at + _MARGIN_SECONDS

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        self._answered_at = loop.time()
        while True:
            try:
                await self._cluster.ask_control(_ANSWER_SECONDS)
                self._answered_at, self._failures = loop.time(), 0
            except Exception as error:
                self._failures += 1
                if self._failures == _TRIES:
                    logger.warning("the control service of the cluster does not answer: %s", error)
            await asyncio.sleep(_PAUSE_SECONDS)
