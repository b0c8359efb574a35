"""Follow one run on a cluster as a local one is followed."""

import asyncio
import logging
from typing import Any

import msgspec

from sidecar.subagents.runners.contract import (
    Emit,
    MessageChannel,
    RunnerUnavailable,
    RunObserver,
    RunResult,
)
from sidecar.subagents.runners.remote.full_disk import with_remedy
from sidecar.subagents.runners.remote.gateway_process import GatewayRefused
from sidecar.subagents.runners.remote.job import RemoteRecord
from sidecar.subagents.runners.remote.link import FleetLink
from sidecar.subagents.runners.remote.run.changes import IF_BACK, RunChanges
from sidecar.subagents.runners.remote.run.following import Following, RunGone
from sidecar.subagents.runners.remote.run.lines import RunLines
from sidecar.subagents.runners.remote.run.node import RunLost, RunNode, RunSilent
from sidecar.subagents.runners.remote.run.placing import Placement, Placing
from sidecar.subagents.runners.remote.run.requests import RunRequests
from sidecar.subagents.runners.remote.run.sequence import SequenceGap

logger = logging.getLogger(__name__)

_STOPPED = RunResult("ERROR", None, {}, "the run was stopped before its agent started")
_NODE_SHARE = 0.6
"""The share of a stop's time limit that the agent gets; the rest is for its changes."""


class RemoteRun:
    """A run on a cluster; see `RunHandle`. With `placing` it is new, else it exists already.

    `after` is the number of the last line whose event is recorded.
    """

    pid = None

    def __init__(
        self,
        link: FleetLink,
        task_id: str,
        record: RemoteRecord,
        observer: RunObserver,
        emit: Emit,
        placing: Placing | None = None,
        after: int = 0,
    ) -> None:
        self._id = task_id
        self._listens = record.listens
        self._observer = observer
        self._stopped = asyncio.Event()
        self._result: asyncio.Future[RunResult] = asyncio.get_running_loop().create_future()
        requests = self._requests = RunRequests(link, task_id)
        node = self._node = RunNode(record, observer)
        lines = self._lines = RunLines(
            record, node, requests, observer, emit, after, is_found=placing is None
        )
        self._changes = RunChanges(record, requests, node, lines, observer)
        job, self._placement = None, None
        if placing is not None:
            job = placing.job
            self._placement = Placement(record, placing, requests, node, lines, observer, self._stopped)
        self._following = Following(record, requests, node, lines, self._stopped, job)
        self._end = asyncio.create_task(self._run_to_end(), name=f"run {task_id} on the cluster")

    @property
    def channel(self) -> MessageChannel | None:
        """The channel for messages; None for a runner that accepts none."""
        return self._lines.channel if self._listens else None

    async def result(self) -> RunResult:
        """Wait for the result."""
        return await asyncio.shield(self._result)

    async def stop(self, limit: float = 5.0) -> None:
        """Stop the run on its node, and wait until its changes are here, within `limit` seconds."""
        if self._end.done():
            return
        self._stopped.set()
        if self._following.has_started and self._lines.last is None:
            self._requests.begin("stop", within=limit * _NODE_SHARE)
        await asyncio.wait({self._end}, timeout=limit)

    async def _run_to_end(self) -> None:
        try:
            result = await self._executed()
        except (RunLost, SequenceGap) as error:
            self._node.report("lost")
            result = RunResult("ERROR", None, {}, str(error), is_lost=True)
        except (GatewayRefused, RunnerUnavailable) as error:
            result = RunResult("ERROR", None, {}, with_remedy(str(error)))
        except Exception as error:
            logger.exception("run %s cannot be followed", self._id)
            result = RunResult("ERROR", None, {}, f"the run on the cluster cannot be followed: {error}")
        finally:
            self._lines.close()
        if not self._result.done():
            self._result.set_result(result)
        await self._drop()

    async def _executed(self) -> RunResult:
        last = await self._last_line()
        if last is None:
            return _STOPPED
        result = msgspec.convert(last["result"], RunResult)
        await self._changes.bring_back(last)
        self._node.report("ended")
        return result

    async def _last_line(self) -> dict[str, Any] | None:
        """Place a new run and follow it; return its last line, None if its agent was not started.

        A run whose process dies before it could have started its agent is placed again.
        """
        placement = self._placement
        while placement is None or await placement.place():
            try:
                return await self._following.follow()
            except RunGone as error:
                if placement is None or self._following.may_have_started:
                    return await self._changes.salvage(str(error))
                placement.died(str(error))
            except (RunSilent, SequenceGap) as error:
                self._changes.are_kept = True
                raise RunLost(f"{error} {IF_BACK}") from None
        return None

    async def _drop(self) -> None:
        """Remove what is left of the run from its node, if the node can be reached."""
        self._requests.cancel()
        if self._changes.are_kept:
            self._requests.link.expect(self._id, self._node.id)
            return
        if await self._requests.drop(self._node.id):
            self._observer.left_cluster()
        if self._placement is not None:
            self._placement.free()
