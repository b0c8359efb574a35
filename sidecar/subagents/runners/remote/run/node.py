"""Where a run on a cluster works, and when it was last heard."""

import asyncio
from contextlib import AbstractContextManager
from typing import Any

from sidecar.api.runs.async_tasks import PlacementState
from sidecar.subagents.runners.contract import RunObserver
from sidecar.subagents.runners.remote.job import RemoteRecord
from sidecar.subagents.runners.remote.run.paths import PathMap
from sidecar.subagents.runners.remote.run.silence import Silence

_LAST_SECONDS = 5.0
"""How long a silent run is asked, at the end of its time, before it is lost."""


class RunLost(Exception):
    """The run cannot be followed any more. The text says what is known."""


class RunSilent(RunLost):
    """The run was silent for too long. It may still work."""


class RunNode:
    """The node of a run: its name and id once they are known, and its paths."""

    def __init__(self, record: RemoteRecord, observer: RunObserver) -> None:
        self._observer = observer
        self._root = record.tree.root
        self._lost_after = record.lost_after_seconds
        self._reserve = min(_LAST_SECONDS, record.lost_after_seconds / 3)
        self._silence = Silence(record.lost_after_seconds, self._reserve)
        self._name: str | None = None
        self.id = ""
        self.paths = PathMap("", "")

    @property
    def name(self) -> str:
        """The name of the node for texts."""
        return self._name or "the cluster"

    @property
    def patience(self) -> float:
        """The seconds in which the next word of the run is expected. Then it is asked."""
        return max(0.0, self._silence.left - self._reserve)

    @property
    def most_patience(self) -> float:
        """The seconds of silence after which a node that may have the run is not waited for."""
        return self._lost_after - self._reserve

    @property
    def last_call(self) -> float:
        """The seconds in which the node must answer a last question about the run."""
        return max(self._reserve, self._silence.left)

    @property
    def time_left(self) -> float:
        """The seconds until a silent run is lost."""
        return self._silence.left

    def waiting(self, most: float) -> AbstractContextManager[None]:
        """Wait for a word; see `Silence.waiting`."""
        return self._silence.waiting(most)

    async def pause(self, seconds: float) -> None:
        """Let some time pass before the next try. Raises RunSilent when there is none left."""
        most = min(seconds, self.time_left)
        with self.waiting(most):
            await asyncio.sleep(most)
        self.check_silence()

    def heartbeat(self, wanted: float) -> float:
        """Return how often the run must be heard so that it is not asked while all is well."""
        return min(wanted, (self._lost_after - self._reserve) / 2)

    def take(self, place: dict[str, Any]) -> None:
        """Take over where the run is."""
        self.heard()
        self._name, self.id = place["node"], place["nodeId"]
        self.paths = PathMap(place["tree"], self._root)

    def heard(self) -> None:
        """Note a word of the run."""
        self._silence.heard()

    def connecting(self) -> AbstractContextManager[None]:
        """Connect to the cluster; see `Silence.connecting`."""
        return self._silence.connecting()

    def report(self, state: PlacementState) -> None:
        """Report where the run is."""
        self._observer.placed(self._name, state)

    def check_silence(self) -> None:
        """Raise RunSilent if the run was silent for too long."""
        if self._silence.left <= 0:
            raise RunSilent(
                f"The run was lost: {self.name} did not answer for {self._lost_after:g} s "
                "(fleet.lostAfterSeconds)."
            )
