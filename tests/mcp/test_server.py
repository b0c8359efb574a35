"""The server answers a message only when what it acknowledges is durable."""

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Any, cast
from unittest.mock import MagicMock

import pytest

from sidecar.api.model import ToolDeclaration
from sidecar.mcp import declarations
from sidecar.mcp.model import Model, Piggyback
from sidecar.mcp.server import McpServer
from sidecar.rpc.messages import MessageId, Request

REVISION = "2025-11-25"


class Marking:
    """Acknowledgements that become durable when the test decides."""

    def __init__(self) -> None:
        self.is_durable = asyncio.Event()

    def heard(self, start: int, cancels: MessageId | None = None) -> None:
        """Ignore the beginnings of messages."""

    async def settled(self) -> None:
        await self.is_durable.wait()


async def drop(method: str, params: Any) -> None:
    """Ignore a notification."""


def no_reports(send: object) -> AbstractAsyncContextManager[Any]:
    raise AssertionError("no tool runs")


def test_each_tool_says_that_what_it_returns_is_data() -> None:
    declared = ToolDeclaration(name="list_tasks", description="List.", input_schema={}, kind="read")
    assert declarations.tool(declared)["description"] == f"List. {declarations.DATA}"


@pytest.mark.parametrize("method", ["ping", "tools/list", "resources/templates/list"])
async def test_no_answer_before_the_acknowledgement_is_durable(method: str) -> None:
    marking = Marking()
    marking.is_durable.set()
    server = McpServer(MagicMock(Model), cast(Piggyback, marking), drop, no_reports)
    start = {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": {"name": "m"}}
    await server.handle(Request(0, "initialize", start))
    marking.is_durable.clear()
    answering = asyncio.ensure_future(server.handle(Request(1, method, {})))
    done, _ = await asyncio.wait({answering}, timeout=0)
    assert not done
    marking.is_durable.set()
    assert (await answering).result is not None
