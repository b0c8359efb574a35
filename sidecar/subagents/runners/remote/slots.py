"""How many slots of a cluster are free, as far as the sidecar knows."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

logger = logging.getLogger(__name__)

_ASKS = 30
_ASK_SECONDS = 1.0
"""How often a full cluster is asked for free slots while a launch waits for one."""


class ClusterSlots:
    """The free slots that the cluster reported, less those of runs that are on their way there."""

    def __init__(
        self, ask: Callable[[], Awaitable[list[dict[str, Any]]]], changed: Callable[[], None]
    ) -> None:
        """`ask` returns the nodes; `changed` is called when slots may be free."""
        self._ask = ask
        self._changed = changed
        self._nodes: Sequence[Mapping[str, Any]] | None = None
        self._taking: dict[str, tuple[Mapping[str, str], int]] = {}
        self._asking: asyncio.Task[None] | None = None

    def set(self, nodes: Sequence[Mapping[str, Any]]) -> None:
        """Note what the cluster reports."""
        self._nodes = nodes

    def are_free(self, labels: Mapping[str, str], count: int) -> bool:
        """Return whether a node with these labels has `count` free slots; if not, ask until one has.

        True if nothing is known: the run then waits on the cluster itself.
        """
        if self._nodes is None:
            return True
        free: list[int] = [node["free"] for node in self._nodes if _has_labels(node, labels)]
        coming = sum(slots for wanted, slots in self._taking.values() if wanted == labels)
        enough = sum(each // count for each in free) * count - coming >= count
        if not enough and (self._asking is None or self._asking.done()):
            self._asking = asyncio.create_task(self._ask_until_changed(), name="free slots of the cluster")
        return enough

    @contextmanager
    def taking(self, run: str, labels: Mapping[str, str], count: int) -> Iterator[None]:
        """Count the slots of a run that the cluster does not report as taken yet."""
        self._taking[run] = (labels, count)
        try:
            yield
        finally:
            del self._taking[run]

    def took(self, node_id: str, count: int) -> None:
        """Note that a run took slots of a node, or with a negative count that it freed them."""
        self._nodes = [
            {**node, "free": node["free"] - count} if node["nodeId"] == node_id else node
            for node in self._nodes or ()
        ]
        if count < 0:
            self._changed()

    def close(self) -> None:
        """Stop asking."""
        if self._asking is not None:
            self._asking.cancel()

    async def _ask_until_changed(self) -> None:
        """Ask until the numbers of free slots differ, then notify; at the latest after 30 s."""
        before = self._free()
        for _ in range(_ASKS):
            await asyncio.sleep(_ASK_SECONDS)
            with contextlib.suppress(Exception):
                self._nodes = await self._ask()
            if self._free() != before or self._taking:
                break
        self._asking = None
        self._changed()

    def _free(self) -> list[int]:
        return [node["free"] for node in self._nodes or ()]


def _has_labels(node: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    return all(node["labels"].get(name) == value for name, value in labels.items())
