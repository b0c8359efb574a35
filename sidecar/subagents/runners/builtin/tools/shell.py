"""Run a command line: bounded in time and output, and with everything that it started gone at its end."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from sidecar.subagents.runners.builtin.tools.process_tree import descendants, kill_descendants, reap_orphans
from sidecar.subagents.runners.process.parent_death import die_with_parent

DEFAULT_SECONDS = 120
MAX_SECONDS = 900
KEPT_BYTES = 32 * 1024
"""Of the output, half from its beginning and half from its end."""
_CLOSE_SECONDS = 1.0


@dataclass(frozen=True)
class Outcome:
    """How a command ended: its status (-N for signal N), None when its time was over, and what it printed."""

    status: int | None
    output: str


class BoundedOutput:
    """The beginning and the end of what a program prints."""

    def __init__(self, kept: int = KEPT_BYTES) -> None:
        self._half = kept // 2
        self._head, self._tail = bytearray(), bytearray()
        self._left_out = 0

    def add(self, data: bytes) -> None:
        """Take a piece."""
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if (excess := len(self._tail) - self._half) > 0:
            del self._tail[:excess]
            self._left_out += excess

    def text(self) -> str:
        """Return what was kept, and how much was not."""
        gap = f"\n[{self._left_out:,} bytes are left out]\n".encode() if self._left_out else b""
        return (bytes(self._head) + gap + bytes(self._tail)).decode("utf-8", "replace")


class _Shell(asyncio.SubprocessProtocol):
    """The shell's output and end. The pipe may outlive it, held by what it started."""

    def __init__(self) -> None:
        self.output = BoundedOutput()
        self.exited = asyncio.Event()
        self.closed = asyncio.Event()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self.output.add(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self.closed.set()

    def process_exited(self) -> None:
        self.exited.set()


async def run_command(command: str, folder: Path, seconds: float) -> Outcome:
    """Run a command line in a session of its own and return its outcome; cancelling kills it.

    All that is started below this program meanwhile counts as the command's, and ends with it.
    """
    others = descendants()
    starting = asyncio.ensure_future(_start(command, folder))
    try:
        # Shielded: a start that is cancelled half way loses its pipes, and whatever the shell has started.
        transport, shell = await asyncio.shield(starting)
        in_time = await _happens(shell.exited, seconds)
        kill_descendants(but=others)
        await _happens(shell.closed, _CLOSE_SECONDS)
        return Outcome(transport.get_returncode() if in_time else None, shell.output.text())
    finally:
        transport, _ = await starting
        kill_descendants(but=others)
        reap_orphans(but=others | {transport.get_pid()})
        transport.close()


async def _start(command: str, folder: Path) -> tuple[asyncio.SubprocessTransport, _Shell]:
    return await asyncio.get_running_loop().subprocess_shell(
        _Shell,
        command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=folder,
        start_new_session=True,
        preexec_fn=die_with_parent(),
    )


async def _happens(event: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True
