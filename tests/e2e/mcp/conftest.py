"""Models attached to a shared Host, each through a process of its own, as agents do it."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import RUNNERS, define
from tests.e2e.host.conftest import HostSetting, shared

__all__ = ["Mcp", "McpProcess", "shared"]
Json = dict[str, Any]
MODERN: Json = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class McpProcess:
    """One `mcp` process, written to and read from line by line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.notifications: list[Json] = []
        self._ids = 0

    async def write(self, *messages: Any) -> None:
        """Write messages in one go; a string is written as it is."""
        assert self.process.stdin is not None
        lines = [each if isinstance(each, str) else json.dumps(each) for each in messages]
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        await self.process.stdin.drain()

    async def read(self) -> Any:
        assert self.process.stdout is not None
        async with asyncio.timeout(30):
            line = await self.process.stdout.readline()
        assert line, "the server has ended"
        return json.loads(line)

    async def answer(self, request_id: int) -> Json:
        """Return the answer of a request; keep the notifications before it."""
        while True:
            message: Json = await self.read()
            if message.get("id") == request_id:
                return message
            assert "method" in message, message
            self.notifications.append(message)

    async def ask(self, method: str, **params: Any) -> Json:
        """Return the whole answer of a request."""
        return await self.answer(await self.start(method, **params))

    async def start(self, method: str, **params: Any) -> int:
        """Send a request and return its ID."""
        self._ids += 1
        await self.write({"jsonrpc": "2.0", "id": self._ids, "method": method, "params": params})
        return self._ids

    async def request(self, method: str, **params: Any) -> Json:
        answer = await self.ask(method, **params)
        assert "result" in answer, answer
        result: Json = answer["result"]
        return result

    async def initialize(self, revision: str = "2025-11-25") -> Json:
        info = {"name": "test", "version": "1"}
        answer = await self.request("initialize", protocolVersion=revision, capabilities={}, clientInfo=info)
        await self.notify("notifications/initialized")
        return answer

    async def notify(self, method: str, **params: Any) -> None:
        await self.write({"jsonrpc": "2.0", "method": method, "params": params})

    async def call(self, tool: str, **arguments: Any) -> Json:
        return await self.request("tools/call", name=tool, arguments=arguments)

    async def launch(self, subagent: str, goal: str = "x") -> str:
        """Launch a run in the background and return its ID."""
        result = await self.call("task", subagent_name=subagent, goal_prompt=goal, **{"async": True})
        task_id: str = result["structuredContent"]["agentId"]
        return task_id

    async def wait_for(self, *task_ids: str) -> Json:
        arguments = {"action": "wait", "task_ids": list(task_ids), "mode": "all", "timeout_seconds": 30}
        return await self.call("check_async_tasks", **arguments)

    async def end(self) -> int:
        """Close the input and return the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        async with asyncio.timeout(20):
            return await self.process.wait()


HELD = 'while [ ! -e go ]; do sleep 0.02; done; printf "the result"'
"""The goal of a run of `events` that ends once `Mcp.release` was called."""


class Mcp:
    """Starts models for one root."""

    def __init__(self, setting: HostSetting) -> None:
        self.setting = setting
        self.workspace = setting.home / "workspace"
        self._started: list[McpProcess] = []

    async def spawn(self, *options: str, workspace: Path | None = None) -> McpProcess:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "sidecar", "mcp", "--storage-root", str(self.setting.root), *options),
            cwd=workspace or self.workspace,
            env=self.setting.environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=64 * 1024 * 1024,
        )
        self._started.append(McpProcess(process))
        return self._started[-1]

    async def start(self, *options: str, workspace: Path | None = None) -> McpProcess:
        """Start a model's server and initialize it."""
        model = await self.spawn(*options, workspace=workspace)
        await model.initialize()
        return model

    def release(self) -> None:
        """Let the runs with the goal `HELD` end."""
        (self.workspace / "go").touch()

    async def aclose(self) -> None:
        for each in self._started:
            if each.process.returncode is None:
                await each.end()


@pytest.fixture
async def mcp(shared: HostSetting) -> AsyncIterator[Mcp]:
    define(shared.home, RUNNERS)
    started = Mcp(shared)
    yield started
    await started.aclose()
