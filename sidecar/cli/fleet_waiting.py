"""Show in a terminal what a request to a cluster waits for."""

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from sidecar.cli import output

if TYPE_CHECKING:
    from sidecar.subagents.runners.remote.link import FleetLink

QUIET_SECONDS = 2.0
"""How long a request takes before its reason is shown."""
T = TypeVar("T")


async def patiently(link: "FleetLink", work: Coroutine[Any, Any, T]) -> T:
    """Return the result of a request through a link; once it takes long, show what it waits for."""
    shown: str | None = None
    working = asyncio.create_task(work, name="request to a cluster")
    try:
        while not (await asyncio.wait({working}, timeout=QUIET_SECONDS))[0]:
            if link.waits_for not in (None, shown):
                shown = link.waits_for
                output.echo(f"waiting for {shown} …", err=True)
        return working.result()
    finally:
        working.cancel()
