"""The process of a gateway: requests with answers, and the lines of followed runs."""

import asyncio
import contextlib
import itertools
import logging
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import orjson

from sidecar.subagents.runners.output.stderr import StderrLog
from sidecar.subagents.runners.process.parent_death import die_with_parent

logger = logging.getLogger(__name__)

LINE_BYTES = 64 * 1024 * 1024
_SHOWN_CHARS = 200
_LAST_WORDS_SECONDS = 1.0
_WITHOUT_TERMINAL = (
    "the command in fleet.gateway must start the gateway without a terminal, which repeats what it reads "
    "(leave out -t of ssh and kubectl)"
)


class _Echo(ValueError):
    """The gateway printed a request that it was sent."""


class GatewayGone(Exception):
    """The gateway has exited or cannot be started. The text says why; a new one may work."""


class GatewayRefused(Exception):
    """The gateway answered with an error. `kind` is refused, gone, unreachable or failed."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


class LineStream:
    """The messages of one followed run. None means that the gateway is gone.

    A run that is followed again has a new stream, so that late messages of the old one are ignored.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.queue: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()  # bounded by `acknowledge`


class GatewayProcess:
    """One running gateway. `close` ends it; its own end fails all requests and all streams."""

    def __init__(self, process: asyncio.subprocess.Process, kill: Callable[[], None] | None = None) -> None:
        """`kill` ends the process with its children, by default the process alone."""
        self._process = process
        self._kill_all = kill or process.kill
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._streams: dict[int, LineStream] = {}
        self._stderr = StderrLog()
        self._problem: str | None = None
        self.is_gone = False
        self._last_words = asyncio.create_task(self._read_stderr(), name="stderr of the gateway")
        self._tasks = [asyncio.create_task(self._read(), name="gateway"), self._last_words]

    @classmethod
    async def start(cls, argv: Sequence[str], environment: Mapping[str, str]) -> "GatewayProcess":
        """Start a gateway, which ends with this process. Raises GatewayGone if its program does not start."""
        try:
            process = await asyncio.create_subprocess_exec(
                *argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=dict(environment),
                limit=LINE_BYTES,
                start_new_session=True,
                preexec_fn=die_with_parent(),
            )
        except (OSError, ValueError) as error:
            raise GatewayGone(
                f"the gateway {argv[0]!r} cannot be started ({getattr(error, 'strerror', None) or error}); "
                "correct fleet.gateway"
            ) from None
        return cls(process, partial(_kill_group, process))

    async def request(self, op: str, limit: float | None, **members: Any) -> Any:
        """Send a request and return its answer.

        Raises GatewayRefused, GatewayGone, and TimeoutError after `limit` seconds.
        """
        if self.is_gone:
            raise self._gone()
        number = next(self._numbers)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(orjson.dumps({"id": number, "op": op, **members}) + b"\n")
            async with asyncio.timeout(limit):
                with contextlib.suppress(ConnectionError):
                    await self._process.stdin.drain()
                return await answer
        finally:
            self._waiting.pop(number, None)

    def listen(self) -> "LineStream":
        """Return a stream for a request `follow`, which names it by its number."""
        stream = LineStream(next(self._numbers))
        if self.is_gone:
            stream.queue.put_nowait(None)
        else:
            self._streams[stream.number] = stream
        return stream

    def ignore(self, stream: "LineStream") -> None:
        """Drop the messages of a stream from now on."""
        self._streams.pop(stream.number, None)

    def acknowledge(self, stream: "LineStream") -> None:
        """Let the gateway send one more batch: it sends only a few that are not acknowledged."""
        if not self.is_gone and self._process.stdin is not None:
            self._process.stdin.write(orjson.dumps({"op": "ack", "stream": stream.number}) + b"\n")

    async def close(self) -> None:
        """End the gateway. Detached runs continue."""
        self._kill()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        transport = getattr(self._process, "_transport", None)
        if transport is not None:  # otherwise `wait` waits for what the command left in the background
            await self._exited()
            transport.close()
        await self._process.wait()
        self._end()

    async def _exited(self) -> None:
        """Let asyncio reap the killed process: it warns if closing the transport does so first."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS_SECONDS):
                await self._process.wait()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._kill_all()

    async def _read(self) -> None:
        assert self._process.stdout is not None
        line = b""
        try:
            while line := await self._process.stdout.readline():
                self._take(orjson.loads(line))
        except (ValueError, TypeError, KeyError, ConnectionError) as error:
            logger.error("the gateway sent an invalid message: %s", error)
            shown = line.decode("utf-8", "replace").strip()[:_SHOWN_CHARS]
            self._problem = f"the gateway printed {shown!r}, but its command must print only its messages"
            if isinstance(error, _Echo):
                self._problem = f"{_WITHOUT_TERMINAL}, but it printed {shown!r}"
            self._kill()
        else:  # read why it exited; one of its children may keep the pipe open
            await asyncio.wait({self._last_words}, timeout=_LAST_WORDS_SECONDS)
        finally:
            self._end()

    def _take(self, message: dict[str, Any]) -> None:
        if "op" in message:
            raise _Echo
        if "stream" in message:
            stream = self._streams.get(message["stream"])
            if stream is not None:
                stream.queue.put_nowait(message)
            return
        waiting = self._waiting.get(message["id"])
        if waiting is None or waiting.done():
            return
        error = message.get("error")
        if error is None:
            waiting.set_result(message.get("ok"))
        else:
            waiting.set_exception(GatewayRefused(error["kind"], error["reason"]))

    async def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        while data := await self._process.stderr.read(65536):
            for event in self._stderr.feed(data):
                logger.info("gateway: %s", event["text"].rstrip())

    def _end(self) -> None:
        if self.is_gone:
            return
        self.is_gone = True
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(self._gone())
        for stream in self._streams.values():
            stream.queue.put_nowait(None)
        self._streams.clear()

    def _gone(self) -> GatewayGone:
        if self._problem is not None:
            return GatewayGone(self._problem)
        tail = self._stderr.tail()
        return GatewayGone(f"the gateway exited{f': {tail[-500:]}' if tail else ''}")


def _kill_group(process: asyncio.subprocess.Process) -> None:
    """Kill a command and its children, which are a process group while it runs."""
    if process.returncode is None:
        os.killpg(process.pid, signal.SIGKILL)
