"""Real processes for the runners' tests, and the proof after each test that none is left."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import pytest

from sidecar.api.settings import RunnerSettings
from sidecar.subagents.runners.command import CommandRunner
from sidecar.subagents.runners.command_run import CommandRun
from sidecar.subagents.runners.contract import RunResult, RunSpec
from sidecar.subagents.runners.marker import find, sweep


@dataclass
class Started:
    """One run under test and what it has emitted."""

    task_id: str
    events: list[dict[str, Any]] = field(default_factory=list)
    said: asyncio.Event = field(default_factory=asyncio.Event)
    run: CommandRun = field(init=False)

    async def emit(self, event: dict[str, Any]) -> None:
        self.events.append(event)
        self.said.set()

    def text(self, kind: str = "message") -> str:
        return "".join(event["text"] for event in self.events if event["type"] == kind)

    async def until_it_speaks(self) -> None:
        async with asyncio.timeout(10):
            await self.said.wait()

    async def result(self) -> RunResult:
        async with asyncio.timeout(20):
            return await self.run.result()


Start = Callable[..., Awaitable[Started]]


@pytest.fixture
def task_ids() -> list[str]:
    """The ids of the test's runs; what carries one of them at the end is a fault."""
    return []


@pytest.fixture
async def start(task_ids: list[str], tmp_path: Path) -> AsyncIterator[Start]:
    started: list[Started] = []

    async def start(
        *argv: str,
        prompt: str = "",
        format: Literal["text", "events"] = "text",
        env: dict[str, str] | None = None,
        emit: Callable[[dict[str, Any]], Awaitable[None]] | None = None,
    ) -> Started:
        new = Started(str(uuid4()))
        task_ids.append(new.task_id)
        runner = CommandRunner(
            "test", RunnerSettings(type="command", command=list(argv), format=format, env=env or {})
        )
        new.run = await runner.start(RunSpec(new.task_id, prompt, tmp_path), emit or new.emit)
        started.append(new)
        return new

    yield start
    found = find(task_ids)
    for new in started:
        await new.run.stop(1.0)
    sweep(task_ids, 2.0)
    assert not found, f"processes left by a run: {found}"


@pytest.fixture
def python() -> tuple[str, ...]:
    """The quickest way to run Python code in a child: append the code."""
    return (sys.executable, "-I", "-S", "-c")
