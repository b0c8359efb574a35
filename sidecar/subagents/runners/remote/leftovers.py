"""Remove an ended run from its cluster, after its changes were brought back."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from sidecar.api.runs.async_tasks import Changes
from sidecar.subagents.runners.remote import workspace
from sidecar.subagents.runners.remote.bundles import fetched
from sidecar.subagents.runners.remote.gateway_process import GatewayRefused
from sidecar.subagents.runners.remote.job import RemoteRecord, Tree

if TYPE_CHECKING:
    from sidecar.subagents.runners.remote.link import FleetLink

_CALL_SECONDS = 30.0
_NO_LINES = 1 << 62
"""The run has ended, and so has its transcript."""


async def collect(
    link: "FleetLink",
    run: str,
    remote: Mapping[str, Any] | None,
    brought_back: Callable[[Changes], Awaitable[None]] | None,
) -> None:
    """Stop a run, take its changes and drop it.

    `brought_back` records the changes before the node forgets them; None to take none. Raises its errors and
    those of the link and of git; the run then stays where it is.
    """
    node_id = ""
    if remote is not None:
        record = msgspec.convert(remote, RemoteRecord)
        left = await _stopped(link, run, record.tree)
        node_id = left["nodeId"]
        if brought_back is not None and left["commit"] is not None:
            await brought_back(await _changes(link, run, record, node_id))
    await link.request("drop", _CALL_SECONDS, run=run, nodeId=node_id)
    link.expected.pop(run, None)


async def is_gone(link: "FleetLink", run: str, node_id: str) -> bool:
    """Return whether nothing is left of a run: no process on the cluster, and no folder on its node.

    Raises the errors of the link, for example if the node does not answer.
    """
    try:
        await link.request("find", _CALL_SECONDS, run=run)
    except GatewayRefused as error:
        if error.kind != "gone":
            raise
        return not await link.request("isLeft", _CALL_SECONDS, run=run, nodeId=node_id)
    return False


async def _stopped(link: "FleetLink", run: str, tree: Tree) -> dict[str, Any]:
    """Stop a run; return its leftovers. Their `nodeId` is "" if its process has its changes."""
    try:
        await link.request("find", _CALL_SECONDS, run=run)
        await link.request("stop", _CALL_SECONDS, run=run, within=5.0)
        return {"nodeId": "", "commit": "of the process"}
    except GatewayRefused as error:
        if error.kind != "gone":
            raise
    named = {"repository": tree.repository, "prefix": tree.prefix, "base": tree.base}
    left: dict[str, Any] = await link.request(
        "salvage", _CALL_SECONDS, run=run, nodeId="", after=_NO_LINES, **named
    )
    if left["saving"] or left["problem"] is not None:
        raise _unsaved(run, left["problem"])
    return left


async def _changes(link: "FleetLink", run: str, record: RemoteRecord, node_id: str) -> Changes:
    async def piece(offset: int) -> dict[str, Any]:
        named = {"nodeId": node_id, "base": record.tree.base}
        taken: dict[str, Any] = await link.request("take", _CALL_SECONDS, run=run, offset=offset, **named)
        return taken

    commit, data = await fetched(piece)
    if commit is None:
        raise _unsaved(run, None)
    return await asyncio.to_thread(workspace.bring_back, record.tree, run, commit, data, record.keep_days)


def _unsaved(run: str, problem: str | None) -> GatewayRefused:
    why = "" if problem is None else f": {problem}"
    return GatewayRefused("failed", f"the node has not saved the changes of run {run} yet{why}")
