"""A client of the sidecar whose server is a fork: `RpcClient` in all but how the process starts."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from sidecar.rpc.child import ChildProcess
from sidecar.rpc.client import RpcClient
from tests.forked.server import ForkServer, exit_status


class _Reader(asyncio.Protocol):
    def __init__(self, transport: "_ForkTransport", fd: int) -> None:
        self._transport = transport
        self._fd = fd

    def data_received(self, data: bytes) -> None:
        self._transport.protocol.pipe_data_received(self._fd, data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport.protocol.pipe_connection_lost(self._fd, exc)


class _Writer(asyncio.BaseProtocol):
    def __init__(self, transport: "_ForkTransport") -> None:
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport.protocol.pipe_connection_lost(0, exc)

    def pause_writing(self) -> None:
        self._transport.protocol.pause_writing()

    def resume_writing(self) -> None:
        self._transport.protocol.resume_writing()


class _ForkTransport(asyncio.SubprocessTransport):
    """What asyncio's transport of a child does, for a process that another one forked."""

    def __init__(self, protocol: ChildProcess, pid: int, status: int) -> None:
        super().__init__()
        self.protocol = protocol
        self._pid = pid
        self._status = status
        self._returncode: int | None = None
        self._pipes: dict[int, asyncio.BaseTransport] = {}
        asyncio.get_running_loop().add_reader(status, self._exited)

    async def connect(self, stdin: int, stdout: int, stderr: int) -> None:
        """Take over our ends of the pipes."""
        loop = asyncio.get_running_loop()
        self.protocol.connection_made(self)
        writing = os.fdopen(stdin, "wb", buffering=0)
        self._pipes[0], _ = await loop.connect_write_pipe(lambda: _Writer(self), writing)
        for fd, end in ((1, stdout), (2, stderr)):
            reading = os.fdopen(end, "rb", buffering=0)
            self._pipes[fd], _ = await loop.connect_read_pipe(partial(_Reader, self, fd), reading)

    def get_pid(self) -> int:
        return self._pid

    def get_returncode(self) -> int | None:
        return self._returncode

    def get_pipe_transport(self, fd: int) -> asyncio.BaseTransport | None:
        return self._pipes.get(fd)

    def send_signal(self, signal: int) -> None:
        if self._returncode is None:
            os.kill(self._pid, signal)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def close(self) -> None:
        for pipe in self._pipes.values():
            pipe.close()
        if self._returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.kill()

    def _exited(self) -> None:
        asyncio.get_running_loop().remove_reader(self._status)
        self._returncode = exit_status(self._status)
        os.close(self._status)
        self.protocol.process_exited()


class _ForkedChild(ChildProcess):
    async def fork(
        self, server: ForkServer, arguments: Sequence[str], environment: Mapping[str, str], folder: Path
    ) -> None:
        (stdin, write), (read, stdout), (errors, stderr) = os.pipe(), os.pipe(), os.pipe()
        pid, status = server.fork(arguments, environment, folder, (stdin, stdout, stderr))
        for each in (stdin, stdout, stderr):
            os.close(each)
        await _ForkTransport(self, pid, status).connect(write, read, errors)


class ForkedClient(RpcClient):
    """A running fork of a server and the requests to it. Collects standard error."""

    @classmethod
    async def fork(
        cls, server: ForkServer, arguments: Sequence[str], environment: Mapping[str, str], folder: Path
    ) -> "ForkedClient":
        """Run `python -m sidecar ARGUMENTS` in a fork that `environment` and `folder` belong to."""
        client = cls()
        child: Any = _ForkedChild(client._received, client._calls.close)
        client._child = child
        await child.fork(server, arguments, environment, folder)
        return client
