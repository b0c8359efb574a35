"""Writes frames to a pipe in a thread, so that a peer that stops reading blocks nobody else."""

import asyncio
import os
import select
import threading
from collections.abc import Callable, Hashable

from sidecar.rpc.errors import ConnectionClosed
from sidecar.rpc.transport.frame_queue import FrameQueue

# How many bytes a pipe that polls as writable takes without blocking; 0 if that is not guaranteed (Windows).
_SMALL: int = getattr(select, "PIPE_BUF", 0)


class FrameWriter:
    """Owner of a file descriptor to write to and of the thread that does it.

    All methods but `wait_until_writable` belong to the event loop's thread. A small frame is written at once
    when nothing is queued and the pipe has room (waking a thread costs more); the rest is queued.
    """

    def __init__(self, fd: int, queue: FrameQueue | None = None) -> None:
        self._fd = fd
        self._queue = queue if queue is not None else FrameQueue()
        self._lock = threading.Lock()
        self._work = threading.Condition(self._lock)
        self._writable = threading.Condition(self._lock)
        self._writing = False
        self._closing = False
        self._broken = False
        self._watched = False
        self._progress = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="rpc-writer", daemon=True)
        self._has_room = _room_probe(fd)

    def open(self, on_broken: Callable[[], None]) -> None:
        """Start writing; `on_broken` is called on the running loop when the peer no longer reads."""
        self._loop = asyncio.get_running_loop()
        self._on_broken = on_broken
        self._thread.start()

    @property
    def depth(self) -> int:
        """Frames waiting, not counting the batch in progress."""
        return len(self._queue)

    def send(self, frame: bytes, on_leaving: Callable[[], None] | None = None) -> None:
        """Queue or write a frame regardless of the bounds; do nothing once the peer is gone.

        `on_leaving` is called in the writing thread just before the last bytes are written, which does not
        block any more; it must not block either.
        """
        with self._lock:
            if not self._written_at_once(frame, on_leaving):
                self._queue.push(frame, on_leaving=on_leaving)
                self._work.notify()

    def offer(self, frame: bytes, key: Hashable | None = None) -> bool:
        """Queue or write a frame that may be dropped or replaced; return False if it was dropped."""
        with self._lock:
            if self._written_at_once(frame):
                return True
            accepted = self._queue.offer(frame, key)
            self._work.notify()
            return accepted

    async def room(self) -> None:
        """Wait until the queue is not full. Raises ConnectionClosed when the peer is gone."""
        if self._queue.full:
            await self._until(lambda: not self._queue.full)
        if self._broken:
            raise ConnectionClosed("the peer no longer reads")

    async def drained(self) -> None:
        """Wait until everything is written, or the peer is gone."""
        await self._until(lambda: not self._writing and not len(self._queue))

    def wait_until_writable(self, timeout: float) -> bool:
        """Block the calling thread while the queue is overloaded; return False after `timeout` seconds."""
        if not self._queue.overloaded:
            return True
        with self._lock:
            return self._writable.wait_for(lambda: self._broken or not self._queue.overloaded, timeout)

    def close(self, timeout: float) -> None:
        """End the thread once the queue is empty; a write that blocks for `timeout` seconds is abandoned."""
        with self._lock:
            self._closing = True
            self._work.notify()
        self._thread.join(timeout)

    def _written_at_once(self, frame: bytes, on_leaving: Callable[[], None] | None = None) -> bool:
        """Write at once if possible; return whether nothing is left to queue. The lock is held."""
        if self._broken or self._closing:
            return True
        if self._writing or len(self._queue) or len(frame) > _SMALL or not self._has_room():
            return False
        if on_leaving is not None:
            on_leaving()
        try:
            written = os.write(self._fd, frame)
        except OSError:
            self._broken = True
            _call(self._loop, self._on_broken)
            return True
        if written < len(frame):
            self._queue.push(frame[written:])
            self._work.notify()
        return True

    async def _until(self, ready: Callable[[], bool]) -> None:
        while not (ready() or self._broken):
            self._progress.clear()
            with self._lock:
                if ready() or self._broken:
                    return
                self._watched = True
            await self._progress.wait()

    def _run(self) -> None:
        try:
            while (batch := self._next_batch()) is not None:
                self._write(batch, self._queue.taken)
        except OSError:
            self._give_up()
        finally:
            os.close(self._fd)

    def _write(self, batch: bytes, leaving: list[Callable[[], None]]) -> None:
        rest = len(batch) - min(len(batch), _SMALL) if leaving else 0
        _write_all(self._fd, batch[:rest])
        if leaving and _SMALL:
            _wait_for_room(self._fd)
        for each in leaving:
            each()
        _write_all(self._fd, batch[rest:])

    def _next_batch(self) -> bytes | None:
        with self._lock:
            self._writing = False
            self._report()
            while not len(self._queue):
                if self._closing:
                    return None
                self._work.wait()
            self._writing = True
            batch = self._queue.take()
            self._report()
            return batch

    def _report(self) -> None:
        """Wake those who wait for the queue. The lock is held."""
        if not self._queue.overloaded:
            self._writable.notify_all()
        if self._watched:
            self._watched = False
            _call(self._loop, self._progress.set)

    def _give_up(self) -> None:
        with self._lock:
            self._broken = True
            self._writing = False
            self._watched = True
            self._report()
            self._writable.notify_all()
        _call(self._loop, self._on_broken)


def _call(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(callback)
    except RuntimeError:
        return  # the loop has ended before this thread, and nobody waits any more


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _wait_for_room(fd: int) -> None:
    """Block until PIPE_BUF bytes can be written without blocking, or the peer is gone."""
    poller = select.poll()
    poller.register(fd, select.POLLOUT)
    poller.poll()


def _room_probe(fd: int) -> Callable[[], bool]:
    """Return a test whether PIPE_BUF bytes can be written without blocking, which POSIX ties to poll."""
    if not hasattr(select, "poll"):
        return lambda: False
    poller = select.poll()
    poller.register(fd, select.POLLOUT)
    return lambda: any(event & select.POLLOUT for _, event in poller.poll(0))
