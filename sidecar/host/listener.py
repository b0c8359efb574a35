"""Accept requests at the Host's socket: their bytes, the file descriptors with them, and who sent them."""

import asyncio
import contextlib
import logging
import os
import socket
from array import array
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from sidecar.host.attach.address import POINTER, NoAddress, socket_path, write_pointer
from sidecar.host.attach.attaching import peer_user
from sidecar.host.request import HostRequest, decode
from sidecar.rpc.transport.stdio import make_plain

logger = logging.getLogger(__name__)

BACKLOG: Final = 128
REQUEST_SECONDS: Final = 10.0
"""How long a process may take to send its request."""
WATCH_SECONDS: Final = 1.0
"""How often to check that the socket is still where clients look for it."""
PAUSE_SECONDS: Final = 1.0
"""How long to accept no connections after too many files were open."""
_CHUNK: Final = 64 * 1024
_MAX_DESCRIPTORS: Final = 2
_MAX_LINE_BYTES: Final = 8 * 1024


class Requester:
    """A process that sent a request to the Host. The handler owns its descriptors from `take_pipes` on."""

    def __init__(self, wire: socket.socket, request: HostRequest, descriptors: list[int]) -> None:
        self.request = request
        self._wire = wire
        self._descriptors = descriptors
        self._is_watched = False

    def take_pipes(self) -> tuple[int, int]:
        """Return the client's standard input and output, which the caller closes.

        Raises ValueError and OSError if other descriptors came with the request.
        """
        if len(self._descriptors) != 2:
            raise ValueError("a client must pass its standard input and output")
        for each in self._descriptors:
            make_plain(each)
        (reading, writing), self._descriptors = self._descriptors, []
        return reading, writing

    def answer(self, line: str) -> None:
        """Send a line, unless the process has gone or does not read."""
        text = " ".join(line.split("\n")).encode("utf-8", "replace")[:_MAX_LINE_BYTES]
        with contextlib.suppress(OSError):
            self._wire.send(text + b"\n")

    @property
    def is_gone(self) -> bool:
        """Whether the process has closed the connection or died."""
        try:
            return self._wire.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def watch(self, on_gone: Callable[[], None]) -> None:
        """Call `on_gone` once, when the process closes the connection or dies, unless `close` comes first.

        Nothing that the process sends is kept. The event loop stops watching before the descriptor is closed,
        since the next one to open gets its number.
        """
        asyncio.get_running_loop().add_reader(self._wire, self._check, on_gone)
        self._is_watched = True

    def _check(self, on_gone: Callable[[], None]) -> None:
        try:
            if self._wire.recv(_CHUNK):
                return
        except BlockingIOError:
            return
        except OSError:
            logger.debug("a client's process has died")
        self._unwatch()
        on_gone()

    def _unwatch(self) -> None:
        if self._is_watched:
            asyncio.get_running_loop().remove_reader(self._wire)
            self._is_watched = False

    def kept(self) -> "Requester":
        """Return another requester with this connection, which then stays open until the process ends."""
        return Requester(self._wire.dup(), self.request, [])

    def close(self) -> None:
        """Close the connection and whatever descriptors were not taken."""
        self._unwatch()
        self._wire.close()
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors = []


class Listener:
    """Listen at the socket of a root, and call `handle` in a task of its own for each request."""

    def __init__(
        self,
        root: Path,
        handle: Callable[[Requester], Awaitable[None]],
        is_lost: Callable[[], bool],
        gives_way: Callable[[], bool] = lambda: False,
    ) -> None:
        """`is_lost` returns whether the root was removed or replaced: then another Host may listen.

        `gives_way` is called when another Host listens at the same path, and returns whether this one ends.
        """
        self._gives_way = gives_way
        self._is_lost = is_lost
        self._root = root
        self._handle = handle
        self._server: socket.socket | None = None
        self._path = ""
        self._tasks: set[asyncio.Task[None]] = set()
        self._watch: asyncio.Task[None] | None = None

    def open(self) -> None:
        """Start to listen. Raises NoAddress and OSError."""
        self._bind()
        self._watch = asyncio.create_task(self._rebind(), name="the Host's socket")

    def stop(self) -> None:
        """Stop accepting connections; new clients connect to the next Host."""
        if self._watch is not None:
            self._watch.cancel()
        if self._server is not None:
            asyncio.get_running_loop().remove_reader(self._server)
            if _inode(self._path) == self._bound:
                with contextlib.suppress(OSError):
                    os.unlink(self._path)
                with contextlib.suppress(OSError):
                    (self._root / POINTER).unlink()
            self._server.close()
            self._server = None

    async def aclose(self) -> None:
        """Stop, and wait for the handlers of all requests."""
        self.stop()
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=1)
        for task in set(self._tasks):
            task.cancel()

    def _bind(self) -> None:
        self._path = socket_path(str(self._root))
        if os.path.isdir(self._path) and not os.path.islink(self._path):
            raise NoAddress(f"{self._path} is a folder where the Host's socket belongs; remove it")
        with contextlib.suppress(FileNotFoundError):  # of a Host that was killed: this one has the lock
            os.unlink(self._path)
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | getattr(socket, "SOCK_CLOEXEC", 0))
        try:
            server.setblocking(False)
            server.bind(self._path)
            os.chmod(self._path, 0o600)
            server.listen(BACKLOG)
        except OSError:
            server.close()
            raise
        self._bound = _inode(self._path)
        self._server = server
        with contextlib.suppress(OSError):  # a root that cannot be written has the usual address only
            write_pointer(str(self._root), self._path)
        asyncio.get_running_loop().add_reader(server, self._accept, server)

    async def _rebind(self) -> None:
        """Listen again when somebody removed the socket."""
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            if self._is_lost():
                self.stop()
                return
            found = _inode(self._path)
            if found == self._bound:
                continue
            if found is not None and self._gives_way():
                self.stop()
                return
            logger.warning("%s was removed: the Host listens again", self._path)
            if self._server is not None:
                asyncio.get_running_loop().remove_reader(self._server)
                self._server.close()
                self._server = None
            try:
                self._bind()
            except (OSError, NoAddress) as error:
                logger.error("the Host cannot listen: %s", error)

    def _accept(self, server: socket.socket) -> None:
        for _ in range(BACKLOG):
            try:
                wire, _address = server.accept()
            except BlockingIOError:
                return
            except OSError as error:  # too many open files
                logger.error("a client cannot attach: %s", error)
                self._pause(server)
                return
            wire.setblocking(False)
            task = asyncio.get_running_loop().create_task(self._serve(wire))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _pause(self, server: socket.socket) -> None:
        """Accept no connections for a while, so that clients wait and the event loop does not spin."""
        loop = asyncio.get_running_loop()
        loop.remove_reader(server)
        loop.call_later(PAUSE_SECONDS, self._resume, server)

    def _resume(self, server: socket.socket) -> None:
        if server is self._server:
            asyncio.get_running_loop().add_reader(server, self._accept, server)

    async def _serve(self, wire: socket.socket) -> None:
        descriptors: list[int] = []
        requester = None
        try:
            if peer_user(wire) not in (None, os.getuid()):
                return
            async with asyncio.timeout(REQUEST_SECONDS):
                request = await _receive(wire, descriptors)
            requester = Requester(wire, request, descriptors)
            await self._handle(requester)
        except (OSError, ValueError, TimeoutError) as error:
            logger.warning(
                "a request to the Host is ignored, because it cannot be read: %s",
                str(error) or "it took too long",
            )
        finally:
            if requester is None:
                requester = Requester(wire, HostRequest("", "", {}, {}), descriptors)
            requester.close()


async def _receive(wire: socket.socket, descriptors: list[int]) -> HostRequest:
    """Receive a request; add the descriptors that come along. Raises ValueError and OSError."""
    received = bytearray()
    while (request := decode(received)) is None:
        try:
            chunk, passed = _receive_once(wire)
        except BlockingIOError:
            await _readable(wire)
            continue
        descriptors += passed
        if len(descriptors) > _MAX_DESCRIPTORS:
            raise ValueError("it passes too many files")
        if not chunk:
            raise ValueError("it ended too early")
        received += chunk
    return request


def _receive_once(wire: socket.socket) -> tuple[bytes, list[int]]:
    room = socket.CMSG_SPACE(_MAX_DESCRIPTORS * array("i").itemsize)
    chunk, ancillary, _flags, _address = wire.recvmsg(_CHUNK, room, getattr(socket, "MSG_CMSG_CLOEXEC", 0))
    passed = array("i")
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            passed.frombytes(data[: len(data) - len(data) % passed.itemsize])
    for descriptor in passed:
        os.set_inheritable(descriptor, False)
    return chunk, list(passed)


async def _readable(wire: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    loop.add_reader(wire, _resolve, ready)
    try:
        await ready
    finally:
        loop.remove_reader(wire)


def _resolve(ready: "asyncio.Future[None]") -> None:
    if not ready.done():
        ready.set_result(None)


def _inode(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
