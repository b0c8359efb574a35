"""A small server for the tests, run by its path as a child process."""

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from sidecar.rpc.connection import Connection, Method
from sidecar.rpc.errors import RpcError
from sidecar.rpc.transport.stdio import PipeTransport


class Empty(msgspec.Struct, forbid_unknown_fields=True):
    pass


class Value(msgspec.Struct, forbid_unknown_fields=True):
    value: Any = None


class Count(msgspec.Struct, forbid_unknown_fields=True):
    count: int


class Row(msgspec.Struct, rename="camel"):
    row_id: int
    title: str


async def echo(params: Value) -> Any:
    return params.value


async def sleep(params: Count) -> str:
    await asyncio.sleep(params.count)
    return "slept"


async def swallow(params: Empty) -> str:
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.Event().wait()
    return "swallowed"


async def rows(params: Count) -> dict[str, list[Row]]:
    return {"items": [Row(i, f"task number {i} " * 10) for i in range(params.count)]}


async def awkward(params: Value) -> Any:
    values = {
        "surrogate": "\ud83d",
        "surrogateRow": [Row(1, "\ud83d")],
        "bigInteger": 2**70,
        "nan": float("nan"),
        "set": {1},
        "object": object(),
    }
    return values[str(params.value)]


async def fail(params: Empty) -> None:
    raise ValueError("a secret in a message")


async def refuse(params: Empty) -> None:
    raise RpcError(-32017, "not in this state", {"status": "completed"})


async def pollute(params: Empty) -> str:
    print("stray print", flush=True)  # noqa: T201 # what this server is for
    os.write(1, b"stray write")
    with contextlib.suppress(OSError):
        sys.stdin.read()
    child = [sys.executable, "-c", "import sys; print('from a child'); sys.exit(len(sys.stdin.read()))"]
    return f"child ended with {subprocess.run(child, check=False).returncode}"


async def block(params: Empty) -> str:
    await asyncio.to_thread(threading.Event().wait, 5)
    return "unblocked"


class Server:
    def __init__(self) -> None:
        self.noted: list[Any] = []
        requests: list[tuple[Callable[..., Awaitable[Any]], type]] = [
            (echo, Value),
            (sleep, Count),
            (swallow, Empty),
            (rows, Count),
            (awkward, Value),
            (fail, Empty),
            (refuse, Empty),
            (pollute, Empty),
            (block, Empty),
            (self.ask, Value),
            (self.flood, Count),
            (self.notes, Empty),
        ]
        methods = {handler.__name__: Method(handler, params, "request") for handler, params in requests}
        methods["note"] = Method(self.note, Value, "notification")
        methods["exit"] = Method(self.exit, Count, "notification")
        self.connection = Connection(methods, transport=PipeTransport.stdio())

    async def ask(self, params: Value) -> Any:
        return await self.connection.request("client/ask", {"value": params.value}, timeout=5)

    async def flood(self, params: Count) -> None:
        for number in range(params.count):
            self.connection.notify("flooded", {"number": number, "padding": "x" * 1000})

    async def note(self, params: Value) -> None:
        self.noted.append(params.value)

    async def notes(self, params: Empty) -> list[Any]:
        return self.noted

    async def exit(self, params: Count) -> None:
        self.connection.request_exit(params.count)


async def main() -> int:
    connection = Server().connection
    code = await connection.serve()
    if connection.framing_error is not None:
        sys.stderr.write(f"framing error: {connection.framing_error}\n")
    return code


if __name__ == "__main__":
    code = asyncio.run(main())
    os._exit(code)
