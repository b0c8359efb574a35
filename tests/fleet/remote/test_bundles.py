"""Changes that a node sends in pieces end, whatever the node sends."""

import base64
from typing import Any

import pytest

from sidecar.subagents.runners.remote.bundles import fetched
from sidecar.subagents.runners.remote.gateway_process import GatewayRefused


def piece(data: bytes, commit: str = "a", size: int = 6) -> dict[str, Any]:
    return {"commit": commit, "size": size, "data": base64.b64encode(data).decode()}


@pytest.mark.parametrize(
    ("pieces", "why"),
    [
        ([piece(b"abc"), piece(b"")], "an empty piece"),
        ([piece(b"abc"), piece(b"def", commit="b")], "were replaced"),
        ([piece(b"abc"), piece(b"def", size=9)], "were replaced"),
    ],
)
async def test_pieces_that_do_not_fit_are_refused(pieces: list[dict[str, Any]], why: str) -> None:
    sent = iter(pieces)

    async def ask(offset: int) -> dict[str, Any]:
        return next(sent)

    with pytest.raises(GatewayRefused, match=why):
        await fetched(ask)


async def test_pieces_are_joined() -> None:
    async def ask(offset: int) -> dict[str, Any]:
        return piece(b"abcdef"[offset : offset + 4])

    assert await fetched(ask) == ("a", b"abcdef")
