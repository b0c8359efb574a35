"""Start a child process, connect its streams, and stop it together with all its descendants."""

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from sidecar.subagents.runners.process import procfs
from sidecar.subagents.runners.process.containment import SWEEP_SECONDS, Containment
from sidecar.subagents.runners.process.marker import MARKER
from sidecar.subagents.runners.process.pipes import OutputPipe
from sidecar.subagents.runners.process.spawner import SpawnedProcess, spawner

logger = logging.getLogger(__name__)

TERM_SECONDS = 2.0
"""How long a stop waits for the group after SIGTERM, if its own limit allows that."""
_TERM_SHARE = 0.4
"""The share of a stop's limit that may pass before SIGKILL."""
_POLL_SECONDS = 0.02
"""How often to check a group whose first process is dead: no event reports the death of the others."""


class ChildProcess(asyncio.SubprocessProtocol):
    """The direct child, which leads its own session and process group, and its descendants."""

    def __init__(self, task_id: str) -> None:
        self.stdout, self.stderr = OutputPipe(), OutputPipe()
        self._task_id = task_id
        self._containment = Containment(task_id)
        self._exit = asyncio.Event()
        self._grace_until: float | None = None
        self._clearing: asyncio.Task[None] | None = None
        self._is_cleared = False
        self._group_is_gone = False
        self._writable = asyncio.Event()
        self._writable.set()
        self._transport: asyncio.SubprocessTransport

    @classmethod
    async def spawn(
        cls,
        argv: Sequence[str],
        *,
        task_id: str,
        cwd: Path,
        env: Mapping[str, str],
        inherited: Mapping[str, str] = os.environ,
        stdin: bytes | None = None,
        interactive: bool = False,
    ) -> "ChildProcess":
        """Start `argv` with the environment `inherited`, `env` and the marker; raise what `Popen` raises.

        Write `stdin` and close it, without waiting for the child to read it. With None the child has no
        input, unless it is `interactive`: then `send` writes to it until `close_stdin`. The child gets its
        own session, so that a signal reaches its whole group and signals of this terminal do not.
        """
        child = cls(task_id)
        environment = {**inherited, **env, MARKER: task_id}
        starting = asyncio.ensure_future(
            child._start(argv, cwd, environment, interactive or stdin is not None)
        )
        try:
            # Shielded: a start that is cancelled midway would leak its pipes and the program's children.
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            with contextlib.suppress(OSError, ValueError):  # the program did not start
                await starting
                await child.clear(SWEEP_SECONDS)
                child.close()
            raise
        if stdin is not None:
            child._stdin().write(stdin)
            child.close_stdin()
        return child

    async def _start(
        self, argv: Sequence[str], cwd: Path, environment: Mapping[str, str], has_input: bool
    ) -> None:
        stdin = subprocess.PIPE if has_input else subprocess.DEVNULL
        if sys.platform == "win32":
            self._transport, _ = await asyncio.get_running_loop().subprocess_exec(
                lambda: self, *argv, stdin=stdin, cwd=cwd, env=environment
            )
            return
        try:
            self._transport = await SpawnedProcess.start(
                self, lambda: self._popen(argv, stdin=stdin, cwd=cwd, env=environment)
            )
        except Exception:
            await asyncio.to_thread(self._containment.abandon)
            raise

    def _popen(
        self, argv: Sequence[str], *, stdin: int, cwd: Path, env: Mapping[str, str]
    ) -> "subprocess.Popen[bytes]":
        """Create the process inside its containment. Blocking."""
        with self._containment.starting() as before_exec:
            process = subprocess.Popen(
                argv,
                bufsize=0,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=cwd,
                env=env,
                start_new_session=True,
                preexec_fn=before_exec,
            )
            self._containment.started(process.pid)
            return process

    @property
    def pid(self) -> int:
        """The process ID of the direct child, which is also the ID of its group and its session."""
        return self._transport.get_pid()

    async def exited(self) -> int:
        """Wait until the direct child is dead and return its status, -N for signal N.

        The pipes may still be open.
        """
        await self._exit.wait()
        status = self._transport.get_returncode()
        assert status is not None
        return status

    async def send(self, data: bytes) -> None:
        """Write to an interactive child, and wait while its pipe is full.

        Raises ConnectionError once the pipe is closed.
        """
        pipe = self._stdin()
        if pipe.is_closing():
            raise ConnectionResetError("the program no longer accepts input")
        pipe.write(data)
        await self._writable.wait()

    def close_stdin(self) -> None:
        """Close the child's input. Idempotent."""
        self._stdin().close()

    def kill(self) -> None:
        """Kill the direct child and its group; `exited` returns soon after."""
        self._signal(signal.SIGKILL)

    async def exits_within(self, seconds: float) -> bool:
        """Wait up to `seconds` for the direct child to exit; return whether it did."""
        try:
            async with asyncio.timeout(seconds):
                await self._exit.wait()
        except TimeoutError:
            return False
        return True

    async def stop(self, limit: float) -> None:
        """Stop the run within `limit` seconds: SIGTERM to the group, SIGKILL after up to 2 s, then sweeps.

        Several calls may overlap; the shortest limit applies.
        """
        now = asyncio.get_running_loop().time()
        grace_until = now + min(TERM_SECONDS, limit * _TERM_SHARE)
        if self._grace_until is None:
            self._signal(signal.SIGTERM)
        self._grace_until = min(self._grace_until or grace_until, grace_until)
        await self._wait_out_grace()
        await self.clear(now + limit - asyncio.get_running_loop().time())

    async def clear(self, limit: float) -> None:
        """Kill what is left of the run once the grace period of a current stop is over; wait up to `limit` s.

        A natural end and stops share one clearing, which is repeated only if processes survived it.
        """
        if self._clearing is None or (self._clearing.done() and not self._is_cleared):
            self._clearing = asyncio.create_task(self._clear(), name=f"clearing of {self.pid}")
        await asyncio.wait({self._clearing}, timeout=max(0.0, limit))

    def close(self) -> None:
        """Close the pipes, and kill the child if it is still alive."""
        self._transport.close()

    async def _clear(self) -> None:
        await self._wait_out_grace()
        self._signal(signal.SIGKILL)
        survivors = await _in_thread(self._containment.sweep_marked)
        await self.exits_within(SWEEP_SECONDS)
        if self._exit.is_set():
            survivors += await _in_thread(lambda: self._containment.sweep_orphans(self.pid))
        self._is_cleared = self._exit.is_set() and not survivors
        if self._is_cleared:
            self._containment.swept()
        else:
            logger.error("task %s: processes %s cannot be killed", self._task_id, survivors)

    async def _wait_out_grace(self) -> None:
        """Wait until the group is empty or the grace period of a stop is over."""
        loop = asyncio.get_running_loop()
        while (left := (self._grace_until or 0.0) - loop.time()) > 0:
            if not self._exit.is_set():
                await self.exits_within(left)
            elif self._group_lives():
                await asyncio.sleep(min(left, _POLL_SECONDS))
            else:
                return

    def _group_lives(self) -> bool:
        # Signals also reach dead processes until they are reaped, which an adopting parent may do late.
        return self._signal(0) and not (procfs.usable() and not procfs.group_lives(self.pid))

    def _signal(self, number: int) -> bool:
        """Send a signal to the whole group; return False once it is empty.

        From then on send nothing, because the system may reuse the group's number.
        """
        if sys.platform == "win32":
            if number and not self._exit.is_set():
                self._transport.kill()
            return not self._exit.is_set()
        if not self._group_is_gone:
            try:
                os.killpg(self.pid, number)
            except (ProcessLookupError, PermissionError):
                self._group_is_gone = True
        return not self._group_is_gone

    def _stdin(self) -> asyncio.WriteTransport:
        pipe = self._transport.get_pipe_transport(0)
        assert isinstance(pipe, asyncio.WriteTransport)
        return pipe

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Connect the output pipes (asyncio)."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        for number, pipe in ((1, self.stdout), (2, self.stderr)):
            end = transport.get_pipe_transport(number)
            assert isinstance(end, asyncio.ReadTransport)
            pipe.connected(end)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Receive output (asyncio)."""
        (self.stdout if fd == 1 else self.stderr).received(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Handle the end of a stream (asyncio). A child that does not read its stdin is not an error."""
        if fd:
            (self.stdout if fd == 1 else self.stderr).ended()
        else:
            self._writable.set()

    def pause_writing(self) -> None:
        """Make `send` wait while the child does not read its input (asyncio)."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Let `send` continue (asyncio)."""
        self._writable.set()

    def process_exited(self) -> None:
        """Note that the direct child was reaped (asyncio)."""
        self._exit.set()


def describe_exit(status: int) -> str:
    """Describe an exit status as `subprocess` reports it, where -N is signal N, without a subject."""
    return f"was killed by signal {-status}" if status < 0 else f"exited with status {status}"


async def _in_thread(sweep_: Callable[[], tuple[int, ...]]) -> tuple[int, ...]:
    """Sweep in a thread of its own for a few seconds at most, because a shared pool may be busy.

    Where the system allows no more threads, sweep in the spawner's thread, which delays starts.
    """
    pool = ThreadPoolExecutor(1, thread_name_prefix="sweep")
    try:
        sweeping = asyncio.get_running_loop().run_in_executor(pool, sweep_)
    except RuntimeError as error:
        _warn_of_threads(str(error))
        sweeping = asyncio.wrap_future(spawner().submit(sweep_))
    finally:
        pool.shutdown(wait=False)
    return await sweeping


@cache
def _warn_of_threads(reason: str) -> None:
    logger.warning("%s: runs are cleaned up one at a time, without threads of their own", reason)
