"""Run a command line with limits on time and output, and kill everything it started at its end."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from sidecar.subagents.runners.builtin.tools.process_tree import descendants, kill_descendants, reap_orphans
from sidecar.subagents.runners.process.parent_death import die_with_parent

DEFAULT_SECONDS = 120
MAX_SECONDS = 900
KEPT_BYTES = 32 * 1024
"""How much of the output to keep: half from its start and half from its end."""
_CLOSE_SECONDS = 1.0


@dataclass(frozen=True)
class Outcome:
    """A command's exit status (-N for signal N; None after a timeout) and its output."""

    status: int | None
    output: str


class BoundedOutput:
    """Keep the start and the end of a program's output."""

    def __init__(self, kept: int = KEPT_BYTES) -> None:
        self._half = kept // 2
        self._head, self._tail = bytearray(), bytearray()
        self._left_out = 0

    def add(self, data: bytes) -> None:
        """Add a piece of output."""
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if (excess := len(self._tail) - self._half) > 0:
            del self._tail[:excess]
            self._left_out += excess

    def text(self) -> str:
        """Return the output kept, with a note of how much is missing."""
        gap = f"\n[{self._left_out:,} bytes are left out]\n".encode() if self._left_out else b""
        return (bytes(self._head) + gap + bytes(self._tail)).decode("utf-8", "replace")


class _Shell(asyncio.SubprocessProtocol):
    """The output and exit of a shell. Its descendants may keep the pipe open longer."""

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
    """Run a command line in its own session and return its outcome; cancelling the call kills it.

    Every process started below this program meanwhile counts as the command's and is killed with it.
    """
    others = descendants()
    starting = asyncio.ensure_future(_start(command, folder))
    try:
        # Shielded: a start that is cancelled midway would leak its pipes and the shell's children.
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
