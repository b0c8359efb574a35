"""A server of the Model Context Protocol that the agent starts, over its standard streams."""

import asyncio
import contextlib
import json
import logging
import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sidecar import __version__
from sidecar.subagents.runners.builtin.tools.workspace import ToolError

logger = logging.getLogger(__name__)

REVISION: Final = "2025-11-25"
START_SECONDS: Final = 30
_LINE_BYTES: Final = 16 * 1024 * 1024
_EXIT_SECONDS: Final = 2


class ToolServer:
    """One server: start it with `open`, then call its tools, any number at a time."""

    def __init__(self, name: str, command: Sequence[str], env: Mapping[str, str]) -> None:
        """`env` is added to the environment of this process."""
        self.name = name
        self.tools: Sequence[Mapping[str, Any]] = ()
        """Its tools as it declares them: `name`, `description` and `inputSchema`."""
        self._command = command
        self._env = env
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._awaited: dict[int, asyncio.Future[Mapping[str, Any]]] = {}
        self._last_id = 0

    async def open(self) -> None:
        """Start the server and ask for its tools. Raises ToolError."""
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                env={**os.environ, **self._env},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_LINE_BYTES,
            )
        except (OSError, ValueError) as error:
            raise ToolError(f"the server {self.name} cannot be started: {error}") from error
        self._reading = asyncio.create_task(self._read(self._process), name=f"server {self.name}")
        info = {"name": "subagent-sidecar-agent", "version": __version__}
        try:
            async with asyncio.timeout(START_SECONDS):
                hello = {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": info}
                await self._request("initialize", hello)
                await self._send({"method": "notifications/initialized"})
                self.tools = (await self._request("tools/list", {}))["tools"]
        except TimeoutError:
            raise ToolError(f"the server {self.name} did not answer in {START_SECONDS} s") from None

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Return the text of a tool's result. Raises ToolError with the text of an error."""
        result = await self._request("tools/call", {"name": tool, "arguments": dict(arguments)})
        text = "\n\n".join(part.get("text", f"[{part.get('type')}]") for part in result.get("content", ()))
        if result.get("isError"):
            raise ToolError(text)
        return text

    async def aclose(self) -> None:
        """End the server: close its input, then kill it if it does not exit."""
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(_EXIT_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
        if self._reading is not None:
            await asyncio.wait({self._reading})

    async def _request(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        self._last_id = request_id = self._last_id + 1
        answer = self._awaited[request_id] = asyncio.get_running_loop().create_future()
        await self._send({"id": request_id, "method": method, "params": params})
        try:
            message = await answer
        except asyncio.CancelledError:
            with contextlib.suppress(ToolError):
                await self._send({"method": "notifications/cancelled", "params": {"requestId": request_id}})
            raise
        finally:
            self._awaited.pop(request_id, None)
        if "error" in message:
            raise ToolError(str(message["error"].get("message", message["error"])))
        result: Mapping[str, Any] = message["result"]
        return result

    async def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            await self._process.stdin.drain()
        except ConnectionError:
            raise ToolError(f"the server {self.name} has exited") from None

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        try:
            while line := await process.stdout.readline():
                message = json.loads(line)
                waiting = self._awaited.get(message.get("id")) if "method" not in message else None
                if waiting is not None and not waiting.done():
                    waiting.set_result(message)
        except ValueError as error:
            logger.warning("the server %s sent a line that is not valid: %s", self.name, error)
        for waiting in self._awaited.values():
            if not waiting.done():
                waiting.set_result({"error": {"message": f"the server {self.name} has exited"}})
