"""A real server process spoken to in raw frames, and a connection in this process between two pipes."""

import asyncio
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sidecar.rpc.connection import Connection, Method
from sidecar.rpc.transport.frame_queue import FrameQueue
from sidecar.rpc.transport.framing import FrameDecoder, encode_frame
from sidecar.rpc.transport.stdio import PipeTransport

ROOT = Path(__file__).parents[2]
SERVER = [sys.executable, str(Path(__file__).with_name("echo_server.py"))]


def server_environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def call(message_id: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": message_id, "method": method, "params": params}


def note(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def frames(*messages: Any) -> bytes:
    bodies = (message if isinstance(message, bytes) else json.dumps(message).encode() for message in messages)
    return b"".join(encode_frame(body) for body in bodies)


class RawServer:
    """The test server as a child process; whatever it writes to standard output must be frames."""

    def __init__(self) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            SERVER, stdin=pipe, stdout=pipe, stderr=pipe, env=server_environment()
        )
        self._decoder = FrameDecoder()
        self._read: list[Any] = []

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, *messages: Any) -> None:
        self.write(frames(*messages))

    def read(self, seconds: float = 10) -> Any:
        """Return the next message; a server that says nothing fails the test."""
        deadline = time.monotonic() + seconds
        assert self.process.stdout is not None
        while not self._read:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            assert ready, "the server sent nothing"
            chunk = os.read(self.process.stdout.fileno(), 1 << 20)
            assert chunk, f"the server ended: {self.errors()}"
            self._read += [json.loads(body) for body in self._decoder.feed(chunk)]
        return self._read.pop(0)

    def ask(self, message: Any) -> Any:
        self.send(message)
        return self.read()

    def finish(self, seconds: float = 10) -> int:
        """Close its input and return the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(seconds)

    def errors(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()

    def close(self) -> None:
        self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            try:
                pipe.close()
            except BrokenPipeError:
                continue
        self.process.wait(10)


class Peer:
    """The other end of an in-process connection: blocking pipes, read off the loop."""

    def __init__(self, connection: Connection, write_fd: int, read_fd: int) -> None:
        self.connection = connection
        self._write_fd: int | None = write_fd
        self._read_fd: int | None = read_fd
        self._decoder = FrameDecoder()
        self._read: list[Any] = []

    def send(self, *messages: Any) -> None:
        self.write(frames(*messages))

    def write(self, data: bytes) -> None:
        assert self._write_fd is not None
        while data:
            data = data[os.write(self._write_fd, data) :]

    async def read(self) -> Any:
        async with asyncio.timeout(10):
            while not self._read:
                chunk = await asyncio.to_thread(self._read_some)
                assert chunk, "the connection ended"
                self._read += [json.loads(body) for body in self._decoder.feed(chunk)]
        return self._read.pop(0)

    async def read_all(self) -> list[Any]:
        """Everything up to the end, which must come."""
        async with asyncio.timeout(10):
            while chunk := await asyncio.to_thread(self._read_some):
                self._read += [json.loads(body) for body in self._decoder.feed(chunk)]
        return self._read

    def hang_up(self) -> None:
        if self._write_fd is not None:
            os.close(self._write_fd)
            self._write_fd = None

    def stop_reading(self) -> None:
        if self._read_fd is not None:
            os.close(self._read_fd)
            self._read_fd = None

    async def readable(self) -> None:
        """Wait until there is something to read."""
        await asyncio.to_thread(self._await_data)

    def _read_some(self) -> bytes:
        return os.read(self._await_data(), 1 << 20)

    def _await_data(self) -> int:
        assert self._read_fd is not None
        ready, _, _ = select.select([self._read_fd], [], [], 9)
        assert ready, "the connection sent nothing"
        return self._read_fd


@asynccontextmanager
async def connected(
    methods: Mapping[str, Method], queue: FrameQueue | None = None, **options: Any
) -> AsyncIterator[Peer]:
    """Serve `methods` between two pipes, and end it on the way out by hanging up."""
    server_in, client_out = os.pipe()
    client_in, server_out = os.pipe()
    transport = PipeTransport(server_in, server_out, queue)
    connection = Connection(methods, transport=transport, **options)
    peer = Peer(connection, client_out, client_in)
    serving = asyncio.create_task(connection.serve(), name="serve")
    try:
        yield peer
    finally:
        peer.hang_up()
        peer.stop_reading()
        async with asyncio.timeout(5):
            await serving
