"""A client written in JavaScript, with the library of VS Code, driven like the Python one."""

import asyncio
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from sidecar.rpc.errors import ConnectionClosed, RpcError
from tests.e2e.conftest import REPO

SCRIPT = Path(__file__).with_name("client.mjs")
PACKAGE = REPO / "client-ts" / "package.json"
_LINE_BYTES = 64 * 1024 * 1024


class NodeClient:
    """Does what `RpcClient` does, in a process of Node.js."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._numbers = itertools.count(1)
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._handlers: dict[str, Callable[[Any], object]] = {}
        self._exited: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        self.pid = 0
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def spawn(cls, command: Sequence[str], env: Mapping[str, str], cwd: Path) -> Self:
        process = await asyncio.create_subprocess_exec(
            *("node", str(SCRIPT), str(PACKAGE), *command),
            env=env,
            cwd=cwd,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LINE_BYTES,
        )
        return cls(process)

    def on_notification(self, method: str, handler: Callable[[Any], object]) -> None:
        self._handlers[method] = handler

    async def request(self, method: str, params: Any = None, *, timeout: float = 30) -> Any:
        number = next(self._numbers)
        self._pending[number] = answer = asyncio.get_running_loop().create_future()
        self._send({"id": number, "method": method, "params": params or {}})
        async with asyncio.timeout(timeout):
            return await answer

    async def notify(self, method: str, params: Any = None) -> None:
        self._send({"method": method, "params": params or {}})

    def close_input(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()

    async def wait(self, seconds: float) -> int | None:
        """Return the exit status of the sidecar that the client started."""
        async with asyncio.timeout(seconds):
            return await asyncio.shield(self._exited)

    async def close(self) -> None:
        self.close_input()
        await asyncio.wait_for(self._process.wait(), 20)
        await self._reading

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            self._take(json.loads(line))
        if not self._exited.done():
            self._exited.set_result(None)
        for answer in self._pending.values():
            answer.set_exception(ConnectionClosed("the client has ended"))
            answer.exception()  # nobody may wait for it
        self._pending.clear()

    def _take(self, message: dict[str, Any]) -> None:
        if "pid" in message:
            self.pid = message["pid"]
        elif "exit" in message:
            self._exited.set_result(message["exit"])
        elif "method" in message:
            self._handlers.get(message["method"], lambda params: None)(message.get("params"))
        elif "error" in message:
            error = message["error"]
            found = RpcError(error["code"], error["message"], error.get("data"))
            self._pending.pop(message["id"]).set_exception(found)
        else:
            self._pending.pop(message["id"]).set_result(message.get("result"))
