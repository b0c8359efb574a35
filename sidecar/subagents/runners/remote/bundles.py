"""Fetch the bundle of a run's changes from its node in pieces."""

import base64
from collections.abc import Awaitable, Callable
from typing import Any


async def fetched(ask: Callable[[int], Awaitable[dict[str, Any]]]) -> tuple[str | None, bytes]:
    """Return the commit of the changes, None if the node could not save them, and their bundle.

    `ask` gets an offset and returns a piece as `commit`, `size` of the whole, and `data`.
    """
    data = bytearray()
    while True:
        piece = await ask(len(data))
        data += base64.b64decode(piece["data"])
        if len(data) >= piece["size"]:
            return piece["commit"], bytes(data)
