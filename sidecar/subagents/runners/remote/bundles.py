"""Fetch the bundle of a run's changes from its node in pieces."""

import base64
from collections.abc import Awaitable, Callable
from typing import Any

from sidecar.subagents.runners.remote.gateway_process import GatewayRefused


async def fetched(ask: Callable[[int], Awaitable[dict[str, Any]]]) -> tuple[str | None, bytes]:
    """Return the commit of the changes, None if the node could not save them, and their bundle.

    `ask` gets an offset and returns a piece as `commit`, `size` of the whole, and `data`.
    """
    data = bytearray()
    first = piece = await ask(0)
    while True:
        received = base64.b64decode(piece["data"])
        data += received
        if len(data) >= piece["size"]:
            return piece["commit"], bytes(data)
        if not received:
            raise GatewayRefused("failed", "the node sent an empty piece of the changes")
        piece = await ask(len(data))
        if (piece["commit"], piece["size"]) != (first["commit"], first["size"]):
            raise GatewayRefused("failed", "the changes were replaced while the node sent them")
