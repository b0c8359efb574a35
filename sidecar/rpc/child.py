"""A server as a child process: its pipes, the tail of its standard error, and a bounded shutdown."""

import asyncio
import contextlib
import os
import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Self, cast

from sidecar.rpc.errors import ConnectionClosed

MAX_STDERR_BYTES = 256 * 1024

_STDIN, _STDOUT, _STDERR = 0, 1, 2

StderrMode = Literal["inherit", "collect", "discard"]


class ChildProcess(asyncio.SubprocessProtocol):
    """One child. Built on asyncio's transport, which reports the exit before the pipes are closed.

    `on_output` gets what the child writes to standard output; `on_end` is called when that ends.
    """

    def __init__(self, on_output: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        self._on_output = on_output
        self._on_end = on_end
        self._exited = asyncio.Event()
        self._errors_ended = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._stderr: deque[bytes] = deque()
        self._stderr_bytes = 0

    async def start(
        self,
        command: Sequence[str],
        env: Mapping[str, str] | None,
        cwd: str | os.PathLike[str] | None,
        stderr: StderrMode,
        own_session: bool = False,
    ) -> Self:
        """Start the program, on request out of reach of the terminal's signals. Raises OSError."""
        target = {"inherit": None, "collect": subprocess.PIPE, "discard": subprocess.DEVNULL}[stderr]
        loop = asyncio.get_running_loop()
        await loop.subprocess_exec(
            lambda: self, *command, env=env, cwd=cwd, stderr=target, start_new_session=own_session
        )
        return self

    @property
    def pid(self) -> int:
        """The process ID."""
        return self._transport.get_pid()

    @property
    def returncode(self) -> int | None:
        """The exit status; None while the child runs, negative for a signal."""
        return self._transport.get_returncode()

    @property
    def stderr_text(self) -> str:
        """The end of what was collected from standard error, some 256 KiB."""
        return b"".join(self._stderr).decode("utf-8", "replace")

    async def last_words(self, seconds: float) -> str:
        """Wait until collected standard error ends, as it does when the child exits; return its end."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._errors_ended.wait()
        return self.stderr_text

    async def send(self, frame: bytes) -> None:
        """Write once the child reads. Raises ConnectionClosed when its input is closed."""
        await self._writable.wait()
        if not self.write(frame):
            raise ConnectionClosed("the server's input is closed")

    def write(self, frame: bytes) -> bool:
        """Write without waiting; False when the input is closed."""
        pipe = cast(asyncio.WriteTransport | None, self._transport.get_pipe_transport(_STDIN))
        if pipe is None or pipe.is_closing():
            return False
        pipe.write(frame)
        return True

    def close_input(self) -> None:
        """Close the child's standard input: the end of input that a server takes as a request to exit."""
        if (pipe := self._transport.get_pipe_transport(_STDIN)) is not None:
            pipe.close()
        self._writable.set()

    async def wait(self, seconds: float) -> int | None:
        """Wait for the child to exit; return its exit status, or None if it still runs after that time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._exited.wait()
        return self.returncode

    async def stop(self, patience: float) -> int | None:
        """End of input, TERM after `patience` seconds, KILL a second later; returns the exit status."""
        self.close_input()
        for seconds, signal in ((patience, self._transport.terminate), (1.0, self._transport.kill)):
            if await self.wait(seconds) is not None:
                break
            with contextlib.suppress(ProcessLookupError):
                signal()
        status = await self.wait(1)
        self._transport.close()
        return status

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport; called by asyncio."""
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Receive output; called by asyncio."""
        if fd == _STDOUT:
            self._on_output(data)
            return
        self._stderr.append(data)
        self._stderr_bytes += len(data)
        while self._stderr_bytes > MAX_STDERR_BYTES and len(self._stderr) > 1:
            self._stderr_bytes -= len(self._stderr.popleft())

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Notice the end of output; called by asyncio."""
        self._writable.set()
        if fd == _STDOUT:
            self._on_end()
        if fd == _STDERR:
            self._errors_ended.set()

    def pause_writing(self) -> None:
        """Hold back senders; called by asyncio when the child does not read."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Let senders continue; called by asyncio."""
        self._writable.set()

    def process_exited(self) -> None:
        """Notice the end; called by asyncio."""
        self._exited.set()
        self._writable.set()
