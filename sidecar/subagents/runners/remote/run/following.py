"""Follow the lines of a run to the last one, across the deaths of gateways."""

import asyncio
import logging
from typing import Any

from sidecar.subagents.runners.contract import RunnerUnavailable
from sidecar.subagents.runners.remote.gateway_process import (
    GatewayGone,
    GatewayProcess,
    GatewayRefused,
    LineStream,
)
from sidecar.subagents.runners.remote.job import Job, RemoteRecord, to_plain
from sidecar.subagents.runners.remote.run.lines import RunLines
from sidecar.subagents.runners.remote.run.node import RunLost, RunNode
from sidecar.subagents.runners.remote.run.requests import (
    CALL_SECONDS,
    MOST_PAUSE_SECONDS,
    RETRY_SECONDS,
    RunRequests,
)

logger = logging.getLogger(__name__)

STOP_SECONDS = 5.0


class RunGone(Exception):
    """The process of the run on its node is gone; the text says what is known."""


class _Quiet(Exception):
    """The run sent nothing for longer than expected."""


class Following:
    """Follow one run. `job` is that of a run that is placed and not started yet."""

    def __init__(
        self,
        record: RemoteRecord,
        requests: RunRequests,
        node: RunNode,
        lines: RunLines,
        stopped: asyncio.Event,
        job: Job | None,
    ) -> None:
        self._record = record
        self._requests = requests
        self._node = node
        self._lines = lines
        self._stopped = stopped
        self._job = job
        self._was_asked = job is None

    @property
    def has_started(self) -> bool:
        """Whether the node started the agent, as far as is known."""
        return self._job is None

    @property
    def may_have_started(self) -> bool:
        """Whether a node was asked to start the agent, so that the run must not be placed again."""
        return self._was_asked

    async def follow(self) -> dict[str, Any] | None:
        """Return the last line of the run, None if it was stopped before its agent started.

        Raises RunGone, RunLost, SequenceGap and GatewayRefused.
        """
        pause = RETRY_SECONDS
        while True:
            heard = self._lines.count
            try:
                return await self._follow_once()
            except _Quiet:  # ask at once, before the run can count as lost
                self._node.report("reconnecting")
                continue
            except GatewayRefused as error:
                if error.kind == "gone":
                    raise RunGone(str(error)) from None
                if error.kind != "unreachable":
                    raise
            except (GatewayGone, RunnerUnavailable, TimeoutError) as error:
                logger.info("run %s: %s", self._requests.run, str(error) or "no answer in time")
            self._node.report("reconnecting")
            # Each try may start a gateway, which costs a process.
            pause = RETRY_SECONDS if self._lines.count > heard else min(2 * pause, MOST_PAUSE_SECONDS)
            await self._node.pause(pause)

    async def _follow_once(self) -> dict[str, Any] | None:
        gateway = await self._found()
        if self._job is not None:
            if self._stopped.is_set():
                return None
            self._was_asked = True  # even if there is no answer
            await self._ask(gateway, "go", job=to_plain(self._job))
            self._job = None
        if self._stopped.is_set():
            # The request to stop came too early, or its gateway died.
            self._requests.begin("stop", within=STOP_SECONDS)
        stream = gateway.listen()
        try:
            after, heartbeat = self._lines.count, self._node.heartbeat(self._record.heartbeat_seconds)
            await self._ask(gateway, "follow", stream=stream.number, after=after, heartbeat=heartbeat)
            return await self._pump(gateway, stream)
        finally:
            gateway.ignore(stream)

    async def _found(self) -> GatewayProcess:
        """Find the run through a gateway, and take over its state."""
        with self._node.connecting():
            gateway = await self._requests.link.gateway(self._node.time_left)
        limit = self._node.time_left
        with self._node.waiting(limit):
            place = await gateway.request("find", limit, run=self._requests.run)
        self._node.take(place)
        self._lines.take_over(place)
        if place["started"]:
            self._job = None
        elif self._job is None:
            raise RunLost("The sidecar was killed before the cluster started this run.")
        return gateway

    async def _ask(self, gateway: GatewayProcess, op: str, **members: Any) -> None:
        limit = min(CALL_SECONDS, self._node.time_left)
        with self._node.waiting(limit):
            await gateway.request(op, limit, run=self._requests.run, **members)

    async def _pump(self, gateway: GatewayProcess, stream: LineStream) -> dict[str, Any]:
        while self._lines.last is None:
            patience = self._node.patience
            try:
                with self._node.waiting(patience):
                    async with asyncio.timeout(patience):
                        message = await stream.queue.get()
            except TimeoutError:
                raise _Quiet from None
            if message is None:
                raise GatewayGone("the gateway exited")
            if "over" in message:
                kind, reason = message["over"]["kind"], message["over"]["reason"]
                raise GatewayRefused(kind, reason or "the node has no more lines of this run")
            gateway.acknowledge(stream)
            await self._lines.take(message)
        return self._lines.last
