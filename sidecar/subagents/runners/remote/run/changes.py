"""Bring back the changes of a run, even if its process is gone."""

import asyncio
import logging
from typing import Any

from sidecar.subagents.runners.contract import RunObserver
from sidecar.subagents.runners.remote import workspace
from sidecar.subagents.runners.remote.bundles import fetched
from sidecar.subagents.runners.remote.gateway_process import GatewayRefused
from sidecar.subagents.runners.remote.job import RemoteRecord
from sidecar.subagents.runners.remote.run.lines import RunLines
from sidecar.subagents.runners.remote.run.node import RunLost, RunNode
from sidecar.subagents.runners.remote.run.requests import RunRequests

logger = logging.getLogger(__name__)

_SALVAGE_SECONDS = 15.0
"""How long a node is asked for what a dead process left, before the run is lost."""
_SAVING_SECONDS = 0.5
"""How often it is asked while it saves the changes."""
_KEPT = "Its node keeps them for a day, and the sidecar tries again until then.\n"
_LATER = "The changes of this run are brought back later, when its node has saved and sent them.\n"
IF_BACK = "If the node is back within a day, the changes of the run are brought back."


class RunChanges:
    """The changes of one run. `are_kept` says that its node must keep them."""

    def __init__(
        self,
        record: RemoteRecord,
        requests: RunRequests,
        node: RunNode,
        lines: RunLines,
        observer: RunObserver,
    ) -> None:
        self._keep_days = record.keep_days
        self._tree = record.tree
        self._requests = requests
        self._node = node
        self._lines = lines
        self._observer = observer
        self.are_kept = False

    async def bring_back(self, last: dict[str, Any]) -> None:
        """Bring back the changes that the last line of a run names; log what prevents it."""
        if "unsaved" in last:
            self.are_kept = True
            text = f"The node could not save the changes of this run: {last['unsaved']}."
            await self._lines.log(f"{text} {_KEPT}")
        elif "commit" in last:
            try:
                await self._bring_back(last["commit"])
            except Exception as error:
                self.are_kept = True
                logger.exception("the changes of run %s cannot be brought back", self._requests.run)
                why = "its node does not answer" if isinstance(error, TimeoutError) else error
                is_gone = isinstance(error, GatewayRefused) and error.kind == "gone"
                hope = f"{IF_BACK}\n" if is_gone else _KEPT
                await self._lines.log(f"The changes of this run could not be brought back: {why}. {hope}")

    async def salvage(self, reason: str) -> dict[str, Any]:
        """Return the last line of a run whose process is gone, if it wrote one.

        Otherwise brings back what the run left on its node, and raises RunLost.
        """
        why = f"The run was lost: its process on {self._node.name} is gone ({reason})."
        limit = min(_SALVAGE_SECONDS, self._node.last_call)
        try:
            async with asyncio.timeout(limit):
                left = await self._salvaged(limit)
        except (GatewayRefused, TimeoutError) as error:
            self.are_kept = True
            problem = str(error) or f"no answer for {limit:.0f} s"
            raise RunLost(f"{why} Its node does not answer either: {problem}. {IF_BACK}") from None
        if self._lines.last is None:
            self._node.report("lost")
            try:
                async with asyncio.timeout(limit / 2):
                    await self._bring_back_left(left)
            except TimeoutError:  # report a lost run soon
                await self._bring_back_later()
            raise RunLost(why)
        return self._lines.last

    async def _salvaged(self, limit: float) -> dict[str, Any]:
        """Take the remaining lines; return what the node reports about the changes within the limit."""
        loop = asyncio.get_running_loop()
        until = loop.time() + limit / 2
        while True:
            left: dict[str, Any] = await self._requests.repeat(
                "salvage",
                nodeId=self._node.id,
                after=self._lines.count,
                repository=self._tree.repository,
                prefix=self._tree.prefix,
                base=self._tree.base,
            )
            self._node.id = left["nodeId"]
            if left["lines"]:
                await self._lines.take({"after": self._lines.count, "lines": left["lines"]})
            elif left["saving"] and loop.time() < until:
                await asyncio.sleep(_SAVING_SECONDS)
            else:
                return left

    async def _bring_back_left(self, left: dict[str, Any]) -> None:
        if left["saving"]:
            await self._bring_back_later()
        elif left["problem"] is not None:
            await self.bring_back({"unsaved": left["problem"]})
        elif left["commit"] is not None:
            await self.bring_back({"commit": left["commit"]})

    async def _bring_back_later(self) -> None:
        self.are_kept = True
        await self._lines.log(_LATER)

    async def _bring_back(self, commit: str) -> None:
        data = b""
        if commit != self._tree.base:
            _, data = await fetched(self._piece)
        changes = await asyncio.to_thread(
            workspace.bring_back, self._tree, self._requests.run, commit, data, self._keep_days
        )
        self._observer.brought_back(changes)

    async def _piece(self, offset: int) -> dict[str, Any]:
        async with asyncio.timeout(self._node.last_call):
            piece: dict[str, Any] = await self._requests.repeat(
                "take", offset=offset, nodeId=self._node.id, base=self._tree.base
            )
        self._node.heard()
        return piece
