"""Where a run on a cluster works, and how long it has been silent."""

import asyncio
from contextlib import AbstractContextManager
from typing import Any

from sidecar.api.runs.async_tasks import PlacementState
from sidecar.subagents.runners.contract import RunObserver
from sidecar.subagents.runners.remote.job import RemoteRecord
from sidecar.subagents.runners.remote.run.paths import PathMap
from sidecar.subagents.runners.remote.run.silence import Silence

_LAST_SECONDS = 5.0
"""How long a silent run is asked for a sign of life, at the end of its time, before it counts as lost."""


class RunLost(Exception):
    """The run cannot be followed any more. The text says what is known."""


class RunSilent(RunLost):
    """The run was silent for too long. It may still be working."""


class RunNode:
    """The node of a run: its name and ID once they are known, and its paths."""

    def __init__(self, record: RemoteRecord, observer: RunObserver) -> None:
        self._observer = observer
        self._root = record.tree.root
        self._lost_after = record.lost_after_seconds
        self._reserve = min(_LAST_SECONDS, record.lost_after_seconds / 3)
        self._silence = Silence(record.lost_after_seconds, self._reserve)
        self._name = record.node
        self.id = record.node_id
        self.is_headless = False
        """Whether the cluster has no control service at present, as far as is known."""
        self.paths = PathMap("", "")

    @property
    def name(self) -> str:
        """The name of the node for texts."""
        return self._name or "the cluster"

    @property
    def patience(self) -> float:
        """The seconds within which the next message of the run is expected. After that, it is asked."""
        if self.is_headless:  # the run itself was not silent
            return self._silence.left
        return max(0.0, self._silence.left - self._reserve)

    @property
    def most_patience(self) -> float:
        """The seconds of silence after which a placement stops waiting for a node that may have the run."""
        return self._lost_after - self._reserve

    @property
    def last_call(self) -> float:
        """The seconds within which the node must answer a last question about the run."""
        return max(self._reserve, self._silence.left)

    @property
    def time_left(self) -> float:
        """The seconds until a silent run is lost."""
        return self._silence.left

    def waiting(self, most: float) -> AbstractContextManager[None]:
        """Wait for a message; see `Silence.waiting`."""
        return self._silence.waiting(most)

    async def pause(self, seconds: float) -> None:
        """Pause before the next attempt. Raises RunSilent when no time is left."""
        most = min(seconds, self.time_left)
        with self.waiting(most):
            await asyncio.sleep(most)
        self.check_silence()

    def heartbeat(self, wanted: float) -> float:
        """Return how often the run must send a heartbeat so that it is not asked while all is well."""
        return min(wanted, (self._lost_after - self._reserve) / 2)

    def take(self, place: dict[str, Any]) -> None:
        """Note where the run is."""
        self.heard(place.get("silence", 0.0))
        self._name, self.id = place["node"], place["nodeId"]
        self.paths = PathMap(place["tree"], self._root)

    def heard(self, silence: float = 0.0) -> None:
        """Note a message of the run. `silence` says for how long its cluster has had no control service."""
        self.is_headless = silence > 0
        self._silence.heard(silence)

    def connecting(self) -> AbstractContextManager[None]:
        """Connect to the cluster; see `Silence.connecting`."""
        return self._silence.connecting()

    def report(self, state: PlacementState) -> None:
        """Report where the run is."""
        self._observer.placed(self._name, state)

    def check_silence(self) -> None:
        """Raise RunSilent if the run was silent for too long."""
        if self._silence.left <= 0:
            who = "the control service of the cluster (on its head)" if self.is_headless else self.name
            raise RunSilent(
                f"The run was lost: {who} did not answer for {self._lost_after:g} s (fleet.lostAfterSeconds)."
            )
