"""A client of a Host, attached in this process or through a relay, and how it is lost."""

import asyncio
import contextlib
import fcntl
import os
import select
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from sidecar import __version__
from sidecar.host.attach import attaching
from sidecar.rpc.errors import ConnectionClosed, RpcError
from tests.campaign.forker import Forker
from tests.campaign.sharing.client import SharingClient

ANSWER_SECONDS = 20.0
EOF_SECONDS = 5.0
"""The Host's clients see its end within 1 s; on a busy machine within this."""
_SMALL_PIPE_BYTES = 4096
_PASSING = ("ok", "again", None)


class AttachedClient:
    """One client; `settled` is set once the Host of the round has let it in, `is_lost` once it was killed."""

    def __init__(self, client: SharingClient) -> None:
        self.client = client
        self.settled = asyncio.Event()
        self.is_lost = False
        self._wire: attaching.HostLink | None = None
        self._relay: int | None = None
        self._acting: asyncio.Task[None] | None = None
        self._rests = False

    async def attach(self, root: Path, environment: Mapping[str, str], give_up: Callable[[], bool]) -> bool:
        """Attach with pipes of our own as soon as a Host answers, unless `give_up` is true.

        Raises RuntimeError when the Host refuses.
        """
        reads, write = os.pipe()
        read, writes = os.pipe()
        fcntl.fcntl(read, fcntl.F_SETPIPE_SZ, _SMALL_PIPE_BYTES)
        request = attaching.request_bytes("attach", __version__, {"root": str(root)}, environment)
        try:
            while not give_up():
                self._wire, answer = await asyncio.to_thread(_ask, str(root), request, (reads, writes))
                if answer not in _PASSING:
                    raise RuntimeError(f"the Host answers {answer}")
                if self._wire is not None:
                    await self.client.link.open(read, write)
                    return True
                await asyncio.sleep(0.01)
        finally:
            os.close(reads)
            os.close(writes)
        os.close(read)
        os.close(write)
        return False

    async def attach_by_relay(
        self, forker: Forker, root: Path, environment: Mapping[str, str], stderr: Path
    ) -> None:
        """Attach as editors do; the relay starts a Host if there is none."""
        forked = await forker.fork(root, environment, stderr, "relay")
        await self.client.link.open(forked.read, forked.write)
        self._relay = os.pidfd_open(forked.pid)
        forked.go()

    async def enter(self) -> None:
        """Send `initialize`; raises ConnectionClosed when the Host dies first."""
        await self.client.initialize()
        self.settled.set()

    async def live(self, is_over: Callable[[], bool]) -> None:
        """Enter, and act until the Host or the client is gone; `is_over` once the round's Host is dead."""
        with contextlib.suppress(ConnectionClosed):
            await self.client.initialize()
            if is_over():  # a relay has started another Host
                return
            self.settled.set()
            if self._rests:
                return
            self._acting = asyncio.create_task(self.client.act())
            await self._act(self._acting)

    async def _act(self, acting: asyncio.Task[None]) -> None:
        """Wait until a client has nothing to do; requests of one that is lost may be refused."""
        await asyncio.wait({acting})
        if not acting.cancelled():
            try:
                acting.result()
            except* RpcError:
                if not self.is_lost:
                    raise

    def rest(self) -> None:
        """Stop to act, and stay attached."""
        self._rests = True
        if self._acting is not None:
            self._acting.cancel()

    async def lose(self, way: str) -> None:
        """Kill the client in one of the ways of `plan.CLIENT_WAYS`."""
        if not self.settled.is_set() or self.client.link.closed.is_set():
            return
        self.is_lost = True
        if way == "does not read":
            self.client.link.pause()
            await asyncio.sleep(0.5)
        if way == "connection":
            self._disconnect()
            async with asyncio.timeout(EOF_SECONDS):
                await self.client.link.closed.wait()
        self.client.link.close()
        self.client.notes.gone()

    async def end_of_input(self) -> float:
        """Wait for the end that a Host's death means; return after how long it came, in s."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(EOF_SECONDS):
                await self.client.link.closed.wait()
        except TimeoutError:
            self.client.notes.breaks("end of input", f"client {self.client.notes.number} waits")
        return time.monotonic() - began

    def close(self) -> None:
        """Leave, as a client whose process ends."""
        if not self.is_lost and self.client.link.is_open:
            self.client.link.close()
        self._disconnect()
        self.client.notes.gone()

    def _disconnect(self) -> None:
        if self._wire is not None:
            self._wire.close()
            self._wire = None
        if self._relay is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._relay, signal.SIGKILL)
            select.select([self._relay], [], [], ANSWER_SECONDS)  # until it is dead and starts nothing more
            os.close(self._relay)
            self._relay = None


def _ask(
    root: str, request: bytes, descriptors: tuple[int, int]
) -> tuple[attaching.HostLink | None, str | None]:
    """Return the connection if the Host accepts, and its answer."""
    try:
        link = attaching.ask(root, request, descriptors, ANSWER_SECONDS)
    except TimeoutError:
        return None, None
    if link is None:
        return None, None
    try:
        answer = link.line()
    except TimeoutError:
        answer = None
    if answer == "ok":
        return link, answer
    link.close()
    return None, answer
