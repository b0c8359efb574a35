"""When clients are notified of the current tool of a run."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from sidecar.subagents.runs.tool_notice import ToolNotice


class Tool:
    """The current tool of a run, and the names that clients received."""

    def __init__(self) -> None:
        self.name: str | None = None
        self.received: list[str | None] = []
        self.notice = ToolNotice(lambda: self.name, lambda: self.received.append(self.name))

    def use(self, name: str | None) -> None:
        self.name = name
        self.notice.check()

    async def until(self, *names: str | None) -> None:
        async with asyncio.timeout(10):
            while self.received != [*names]:
                await asyncio.sleep(0.01)


@pytest.fixture
async def tool() -> AsyncIterator[Tool]:
    tool = Tool()
    yield tool
    tool.notice.close()


async def test_the_start_of_a_call_is_reported_at_once_and_its_end_soon(tool: Tool) -> None:
    tool.use("read")
    assert tool.received == ["read"]
    tool.use(None)
    assert tool.received == ["read"]
    await tool.until("read", None)


async def test_calls_between_two_notifications_are_reported_as_one(tool: Tool) -> None:
    for number in range(100):
        tool.use(f"tool {number}")
        tool.use(None)
    await tool.until("tool 0", None)


async def test_events_that_do_not_change_the_tool_are_not_reported(tool: Tool) -> None:
    tool.use(None)
    tool.use(None)
    assert tool.received == []
