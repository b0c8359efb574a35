"""Remove an ended run from its cluster, after its changes were brought back."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from sidecar.api.runs.async_tasks import Changes
from sidecar.subagents.runners.remote import workspace
from sidecar.subagents.runners.remote.bundles import fetched
from sidecar.subagents.runners.remote.gateway_process import GatewayRefused
from sidecar.subagents.runners.remote.job import RemoteRecord

if TYPE_CHECKING:
    from sidecar.subagents.runners.remote.link import FleetLink

_CALL_SECONDS = 30.0


async def collect(link: "FleetLink", run: str, remote: Mapping[str, Any] | None) -> Changes | None:
    """Stop a run, take its changes and drop it; return what it changed, None if that is not known.

    Raises the errors of the link and of git; the run then stays where it is.
    """
    changes = None
    if remote is not None:
        changes = await _changes(link, run, msgspec.convert(remote, RemoteRecord))
    await link.request("drop", _CALL_SECONDS, run=run)
    return changes


async def _changes(link: "FleetLink", run: str, record: RemoteRecord) -> Changes:
    async def piece(offset: int) -> dict[str, Any]:
        taken: dict[str, Any] = await link.request("take", _CALL_SECONDS, run=run, offset=offset)
        return taken

    await link.request("find", _CALL_SECONDS, run=run)
    await link.request("stop", _CALL_SECONDS, run=run, within=5.0)
    commit, data = await fetched(piece)
    if commit is None:
        raise GatewayRefused("failed", f"the node cannot save the changes of run {run}")
    return await asyncio.to_thread(workspace.bring_back, record.tree, run, commit, data, record.keep_days)
