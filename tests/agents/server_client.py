"""The server of a session that a scripted agent starts, and the calls of its tools."""

import asyncio
import json
import os
from typing import Any

from acp import schema


class ServerClient:
    """One MCP server, started with the first call."""

    def __init__(self, server: schema.McpServerStdio) -> None:
        self._server = server
        self.env = server.env
        self._process: asyncio.subprocess.Process | None = None
        self._ids = 0
        self._awaited: dict[int, asyncio.Future[Any]] = {}
        self._starting = asyncio.Lock()
        self._reading: asyncio.Task[None] | None = None

    async def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """Return the texts of a tool's result."""
        await self._start()
        answer = await self._ask("tools/call", {"name": tool, "arguments": arguments})
        if "error" in answer:
            return str(answer["error"]["message"])
        return "\n".join(block["text"] for block in answer["result"]["content"])

    async def tools(self) -> list[str]:
        """Return the names of the tools."""
        await self._start()
        return [tool["name"] for tool in (await self._ask("tools/list", {}))["result"]["tools"]]

    async def _start(self) -> None:
        async with self._starting:
            if self._process is None:
                await self._spawn()

    async def _spawn(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            self._server.command,
            *self._server.args,
            env={**os.environ, **{each.name: each.value for each in self._server.env}},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=16 * 1024 * 1024,
        )
        self._reading = asyncio.create_task(self._read(self._process))
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "scripted"}}
        await self._ask("initialize", hello)

    async def _ask(self, method: str, params: dict[str, Any]) -> Any:
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._ids += 1
        request = {"jsonrpc": "2.0", "id": self._ids, "method": method, "params": params}
        answer = self._awaited[self._ids] = asyncio.get_running_loop().create_future()
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        await self._process.stdin.drain()
        return await answer

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            answer = json.loads(line)
            if (waiting := self._awaited.pop(answer.get("id"), None)) is not None:
                waiting.set_result(answer)
        code = await process.wait()
        for waiting in self._awaited.values():
            waiting.set_result({"error": {"message": f"the server has exited: {code}"}})
