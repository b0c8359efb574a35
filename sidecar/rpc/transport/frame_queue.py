"""A queue of outgoing frames, bounded in number and bytes, in which newer frames replace outdated ones."""

from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass

MAX_FRAMES = 1024
MAX_BYTES = 16 * 1024 * 1024
# Small frames are written together: one system call for a burst, in batches that do not delay others.
BATCH_BYTES = 64 * 1024


@dataclass(slots=True)
class _Entry:
    frame: bytes
    key: Hashable | None
    on_leaving: Callable[[], None] | None = None


class FrameQueue:
    """A FIFO of encoded frames. Not thread-safe: its owner holds a lock.

    It is *full* from `max_frames` or `max_bytes` on: senders wait if they can, and notifications that may be
    lost are dropped. Answers that cannot wait are still accepted up to twice that; then it is *overloaded*,
    and its owner must stop reading requests. One frame may exceed the byte bounds.
    """

    def __init__(self, max_frames: int = MAX_FRAMES, max_bytes: int = MAX_BYTES) -> None:
        self._max_frames = max_frames
        self._max_bytes = max_bytes
        self._entries: deque[_Entry] = deque()
        self._by_key: dict[Hashable, _Entry] = {}
        self._bytes = 0
        self.taken: list[Callable[[], None]] = []
        """What to call just before the end of the frames that `take` returned last is written."""

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def full(self) -> bool:
        """Return whether senders should wait."""
        return len(self._entries) >= self._max_frames or self._bytes >= self._max_bytes

    @property
    def overloaded(self) -> bool:
        """Return whether too many answers are queued to read more requests."""
        return len(self._entries) >= 2 * self._max_frames or self._bytes >= 2 * self._max_bytes

    def push(
        self, frame: bytes, key: Hashable | None = None, on_leaving: Callable[[], None] | None = None
    ) -> None:
        """Append a frame regardless of the bounds."""
        entry = _Entry(frame, key, on_leaving)
        self._entries.append(entry)
        self._bytes += len(frame)
        if key is not None:
            self._by_key[key] = entry

    def offer(self, frame: bytes, key: Hashable | None = None) -> bool:
        """Add a frame that nobody waits for; return False if it was dropped because the queue is full.

        With a key, a full queue replaces the last frame with that key, or accepts it until overloaded.
        """
        if not self.full:
            self.push(frame, key)
            return True
        if key is None:
            return False
        if (entry := self._by_key.get(key)) is not None:
            self._bytes += len(frame) - len(entry.frame)
            entry.frame = frame
            return True
        if self.overloaded:
            return False
        self.push(frame, key)
        return True

    def take(self) -> bytes:
        """Remove frames from the front, joined: at least one, more while they fit 64 KiB. Not when empty."""
        self.taken = []
        batch = [self._pop()]
        size = len(batch[0])
        while self._entries and size + len(self._entries[0].frame) <= BATCH_BYTES:
            batch.append(self._pop())
            size += len(batch[-1])
        return batch[0] if len(batch) == 1 else b"".join(batch)

    def _pop(self) -> bytes:
        entry = self._entries.popleft()
        self._bytes -= len(entry.frame)
        if entry.key is not None and self._by_key.get(entry.key) is entry:
            del self._by_key[entry.key]
        if entry.on_leaving is not None:
            self.taken.append(entry.on_leaving)
        return entry.frame
