"""Place a new run on a node, with its workspace."""

import asyncio
import base64
import logging
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from sidecar import __version__
from sidecar.subagents.runners.contract import RunnerUnavailable, RunObserver
from sidecar.subagents.runners.remote import workspace
from sidecar.subagents.runners.remote.full_disk import with_remedy
from sidecar.subagents.runners.remote.gateway_process import GatewayGone, GatewayRefused
from sidecar.subagents.runners.remote.git_work import in_thread
from sidecar.subagents.runners.remote.job import Job, RemoteRecord, to_plain
from sidecar.subagents.runners.remote.link import GatewayFailed
from sidecar.subagents.runners.remote.requirements import (
    NodeRequirements,
    other_version,
    suitable,
    why_unsuitable,
)
from sidecar.subagents.runners.remote.run.lines import RunLines
from sidecar.subagents.runners.remote.run.node import RunLost, RunNode
from sidecar.subagents.runners.remote.run.requests import (
    CALL_SECONDS,
    MOST_PAUSE_SECONDS,
    RETRY_SECONDS,
    RunRequests,
)

logger = logging.getLogger(__name__)

_PIECE_BYTES = 1 << 20
_WITHIN_SECONDS = 5.0
"""How long a gateway waits for a place before it answers that there is none yet."""
_MOST_PLACES = 3
"""How often a run is placed if its process dies before its agent starts."""


@dataclass(frozen=True)
class Placing:
    """What is needed to place a new run: its job, and what it requires of its node."""

    job: Job
    needs: NodeRequirements
    contents: Mapping[int, bytes] = field(default_factory=dict, repr=False)
    """The contents of attachments, which are sent with the workspace, by their index."""


class Placement:
    """The steps that bring a new run to its node."""

    def __init__(
        self,
        record: RemoteRecord,
        placing: Placing,
        requests: RunRequests,
        node: RunNode,
        lines: RunLines,
        observer: RunObserver,
        stopped: asyncio.Event,
    ) -> None:
        self._record = record
        self._needs = placing.needs
        self._contents = placing.contents
        self._requests = requests
        self._link = requests.link
        self._node = node
        self._lines = lines
        self._observer = observer
        self._stopped = stopped
        self._slots = 0
        self._deaths = 0
        self._withdrawn: str | None = None

    async def place(self) -> bool:
        """Place the run on a node; return False if it was stopped before.

        A run whose process dies meanwhile is placed again. Raises RunnerUnavailable and GatewayRefused, and
        RunLost if the cluster does not answer or the processes keep dying.
        """
        self._node.report("starting")
        pause = RETRY_SECONDS
        while not self._stopped.is_set():
            try:
                if not await self._unless_stopped(self._place()):
                    return False
                # From here on the run is only found and never created again, so that it never runs twice.
                going = msgspec.structs.replace(
                    self._record, is_going=True, node=self._node.name, node_id=self._node.id
                )
                await self._observer.keep(to_plain(going))
                return True
            except GatewayRefused as error:
                if error.kind == "silent":
                    self._withdrawn = str(error)
                elif error.kind == "gone":
                    self.died(str(error))
                elif error.kind != "unreachable":
                    raise
            except GatewayFailed as error:
                self._check_link(error)
                pause = min(2 * pause, MOST_PAUSE_SECONDS)  # each attempt starts a process
            except RunnerUnavailable as error:
                if self._withdrawn is None:
                    raise
                raise RunLost(
                    f"The run was lost before its agent started: {self._withdrawn}, and {error.message}"
                ) from None
            except (GatewayGone, TimeoutError) as error:
                logger.info("run %s: %s", self._requests.run, str(error) or "no answer in time")
            self._node.check_silence()
            await asyncio.sleep(pause)
        return False

    def died(self, reason: str) -> None:
        """Note that the process of the run died before its agent could have started.

        Raises RunLost if the run may not be placed again.
        """
        self._deaths += 1
        if self._deaths == _MOST_PLACES:
            raise RunLost(
                f"The run was lost before its agent started: it was placed {_MOST_PLACES} times, and its "
                f"process died each time; the last one on {self._node.name} ({reason})."
            )
        logger.warning("run %s is placed again: its process died (%s)", self._requests.run, reason)
        self._withdrawn = f"its process on {self._node.name} died ({reason})"
        self._node.heard()
        self.free()

    def free(self) -> None:
        """Note that the run no longer takes slots of its node."""
        if self._slots:
            self._link.slots.took(self._node.id, -self._slots)
            self._slots = 0

    def _check_link(self, error: GatewayFailed) -> None:
        """Raise the error if gateways have failed for too long."""
        if self._node.time_left <= 0:
            raise error

    async def _place(self) -> bool:
        placed = await self._slot_taken()
        self._check_version(placed)
        self._node.take(placed)
        self._node.report("starting")
        self._lines.take_over(placed)
        await self._transfer(placed["known"])
        return True

    async def _slot_taken(self) -> Any:
        """Wait until the run has slots on a node."""
        slots = self._needs.slots
        with self._link.slots.taking(self._requests.run, self._needs.labels, slots):
            placed = await self._ask_for_place()
            if not self._slots:  # later status reports count them
                self._link.slots.took(placed["nodeId"], slots)
                self._slots = slots
        return placed

    def _check_version(self, placed: dict[str, Any]) -> None:
        """Refuse a node that did not describe itself in time and has another version."""
        if placed["version"] != __version__:
            raise RunnerUnavailable(other_version(placed["node"], placed["version"]))

    async def _ask_for_place(self) -> Any:
        tree = self._record.tree
        with self._node.connecting():
            status = await self._link.status(CALL_SECONDS)
        nodes = suitable(self._needs, status)
        if not nodes:
            raise RunnerUnavailable(why_unsuitable(self._needs, status) or "no node can run this")
        asked = {"repository": tree.repository, "prefix": tree.prefix, "base": tree.base}
        try:
            return await self._placed(nodes=nodes, slots=self._needs.slots, **asked)
        except GatewayGone:
            if not self._slots:
                self._node.heard()  # a wait for a slot does not count as silence
            raise

    async def _placed(self, **asked: Any) -> dict[str, Any]:
        """Ask for the place until the run has it. The gateway answers in time, even while it has none."""
        while True:
            within = min(_WITHIN_SECONDS, self._node.time_left / 3)
            asked["former"] = self._deaths
            placed: dict[str, Any] = await self._requests.call(
                "place", self._node.time_left, within=within, silence=self._node.most_patience, **asked
            )
            if "pending" not in placed:
                return placed
            if self._slots:  # it had a place, but its node is silent now
                self._node.check_silence()
            else:
                self._node.heard()
                self._node.report("waiting")

    async def _unless_stopped(self, work: Coroutine[Any, Any, bool]) -> bool:
        """Return the result of `work`, or False if the run is stopped before."""
        doing, stopped = asyncio.create_task(work), asyncio.create_task(self._stopped.wait())
        try:
            await asyncio.wait({doing, stopped}, return_when=asyncio.FIRST_COMPLETED)
            return doing.done() and doing.result()
        finally:
            doing.cancel()
            stopped.cancel()

    async def _transfer(self, known: Sequence[str]) -> None:
        data = await in_thread(workspace.packed, self._record.tree, known)
        self._node.heard()  # packing took time in which the node was not asked
        try:
            if data:
                await self._put(None, data)
            for number, content in self._contents.items():
                await self._put(number, content)
        except GatewayRefused as error:
            if error.kind != "failed":
                raise
            problem = f"node {self._node.name!r} could not keep the workspace: {error}"
            raise GatewayRefused(error.kind, with_remedy(problem)) from None

    async def _put(self, attachment: int | None, data: bytes) -> None:
        for offset in range(0, max(1, len(data)), _PIECE_BYTES):
            piece = base64.b64encode(data[offset : offset + _PIECE_BYTES]).decode()
            put = {"attachment": attachment, "offset": offset, "data": piece}
            await self._requests.call("put", self._node.time_left, **put)
            self._node.heard()
