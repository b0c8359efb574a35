"""Start processes in a thread (POSIX), because fork, control group and exec would block the loop."""

import asyncio
import contextlib
import os
import queue
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache, partial
from typing import Any, TypeVar

from sidecar.subagents.runners.process import procfs

Start = Callable[[], "subprocess.Popen[bytes]"]
T = TypeVar("T")


class Spawner:
    """The thread that starts processes, one at a time.

    It lives as long as this process, because Linux sends a child its parent-death signal when the *thread*
    that forked it ends.
    """

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()
        threading.Thread(target=self._main, name="spawner", daemon=True).start()

    def submit(self, job: Callable[[], T]) -> "Future[T]":
        """Call `job` in the thread; the future resolves to its result or exception."""
        done: Future[T] = Future()
        self._jobs.put((job, done))
        return done

    def _main(self) -> None:
        while True:
            job, done = self._jobs.get()
            if done.set_running_or_notify_cancel():
                try:
                    done.set_result(job())
                except BaseException as error:
                    done.set_exception(error)
            del job, done  # do not keep them alive until the next job


@cache
def spawner() -> Spawner:
    """Return the spawner of this process; the first call creates it."""
    return Spawner()


class SpawnedProcess(asyncio.SubprocessTransport):
    """Report the pipes and the end of a process that the spawner started to `protocol`, in the loop.

    This replaces the transport of `loop.subprocess_exec`, which would start the process in the loop.
    """

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        super().__init__()
        self._process = process
        self._loop = asyncio.get_running_loop()
        self._pipes: dict[int, asyncio.BaseTransport] = {}
        self._is_closing = False

    @classmethod
    async def start(cls, protocol: asyncio.SubprocessProtocol, start: Start) -> "SpawnedProcess":
        """Let the spawner call `start`, and connect the process. Raises what `start` raises."""
        made = spawner().submit(start)
        try:
            process = await asyncio.wrap_future(made)
        except asyncio.CancelledError:
            made.add_done_callback(_kill)
            raise
        spawned = cls(process)
        try:
            await spawned._connect(protocol)
        except BaseException:
            spawned.close()
            spawner().submit(lambda: _reaped(process))
            raise
        return spawned

    async def _connect(self, protocol: asyncio.SubprocessProtocol) -> None:
        """Connect the pipes. Only they and the watch for the end refer to the protocol, until they end."""
        process, loop = self._process, self._loop
        outputs = []
        for number, file in ((1, process.stdout), (2, process.stderr)):
            if file is not None:
                self._pipes[number], output = await loop.connect_read_pipe(
                    partial(_Output, protocol, number), file
                )
                outputs.append(output)
        protocol.connection_made(self)
        for output in outputs:
            output.forward()
        if process.stdin is not None:
            self._pipes[0], _ = await loop.connect_write_pipe(lambda: _InputEnd(protocol), process.stdin)
        self._watch_for_end(protocol)

    def get_pid(self) -> int:
        """Return the process ID."""
        return self._process.pid

    def get_returncode(self) -> int | None:
        """Return the exit status, -N for signal N; None until the protocol is notified of the end."""
        return self._process.returncode

    def get_pipe_transport(self, fd: int) -> asyncio.BaseTransport | None:
        """Return the transport of a standard stream; None if it is not a pipe."""
        return self._pipes.get(fd)

    def kill(self) -> None:
        """Kill the process if it is alive."""
        self._process.kill()

    def is_closing(self) -> bool:
        """Return whether `close` was called."""
        return self._is_closing

    def close(self) -> None:
        """Close the pipes, and kill the process if it is still alive."""
        self._is_closing = True
        files = (self._process.stdin, self._process.stdout, self._process.stderr)
        for number, file in enumerate(files):
            if number in self._pipes:
                self._pipes[number].close()
            elif file is not None:  # not connected
                file.close()
        self.kill()

    def _watch_for_end(self, protocol: asyncio.SubprocessProtocol) -> None:
        if not procfs.usable():
            name = f"end of {self.get_pid()}"
            threading.Thread(target=self._wait_in_thread, args=(protocol,), name=name, daemon=True).start()
            return
        handle = os.pidfd_open(self.get_pid())

        def ended() -> None:
            self._loop.remove_reader(handle)
            os.close(handle)
            self._ended(protocol)

        self._loop.add_reader(handle, ended)

    def _wait_in_thread(self, protocol: asyncio.SubprocessProtocol) -> None:
        self._process.wait()
        with contextlib.suppress(RuntimeError):  # the loop is closed, so nothing waits
            self._loop.call_soon_threadsafe(self._ended, protocol)

    def _ended(self, protocol: asyncio.SubprocessProtocol) -> None:
        self._process.wait()
        protocol.process_exited()


def _kill(made: "Future[subprocess.Popen[bytes]]") -> None:
    """Kill a process whose start was cancelled; the spawner's thread calls this."""
    if not made.cancelled() and made.exception() is None:
        with made.result() as process:  # closes its pipes and waits for its end
            process.kill()


def _reaped(process: "subprocess.Popen[bytes]") -> "subprocess.Popen[bytes]":
    """Wait for a killed process and return it."""
    process.wait()
    return process


class _Output(asyncio.Protocol):
    """Forward one output to the process's protocol; keep what comes before that protocol is connected.

    Pausing the transport instead would not do: before Python 3.11.4, one that is paused at once reads on.
    """

    def __init__(self, protocol: asyncio.SubprocessProtocol, number: int) -> None:
        self._protocol = protocol
        self._number = number
        self._kept: list[Callable[[], None]] | None = []

    def forward(self) -> None:
        """Forward what was kept, and whatever follows."""
        kept, self._kept = self._kept or [], None
        for call in kept:
            call()

    def data_received(self, data: bytes) -> None:
        self._call(partial(self._protocol.pipe_data_received, self._number, data))

    def connection_lost(self, exc: Exception | None) -> None:
        self._call(partial(self._protocol.pipe_connection_lost, self._number, exc))

    def _call(self, call: Callable[[], None]) -> None:
        if self._kept is None:
            call()
        else:
            self._kept.append(call)


class _InputEnd(asyncio.BaseProtocol):
    """Forward the state of the input to the process's protocol."""

    def __init__(self, protocol: asyncio.SubprocessProtocol) -> None:
        self._protocol = protocol

    def connection_lost(self, exc: Exception | None) -> None:
        self._protocol.pipe_connection_lost(0, exc)

    def pause_writing(self) -> None:
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        self._protocol.resume_writing()
