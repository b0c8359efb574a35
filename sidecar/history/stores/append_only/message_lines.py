"""The messages of a session that is kept as JSON lines in one or more growing files."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Final, Protocol

from sidecar.api.errors import StorageError
from sidecar.api.stored.tasks import StoredMessage
from sidecar.history.stored.complexity import is_too_complex, is_too_wide
from sidecar.history.stores.append_only.growing_file import Growth, Position, Unreadable, open_growing

_STEP: Final = 64
"""The place of a line is kept once in this many messages."""
_KEPT: Final = 16
"""Sessions whose places are kept: pages of one session come one after the other."""


class Renderer(Protocol):
    """Turn one line of a session into messages, whose `index` is set later.

    It may remember earlier lines. Rendering a line again must give the same messages.
    """

    def __call__(self, line: bytes) -> Sequence[StoredMessage]:
        """Return the messages of a line, in order."""


Identity = Callable[[bytes], Hashable]
"""Return what a line has in common with its copy in another file of the session."""


class _Place:
    """The start of a line: number of the file, offset, and the index of the line's first message."""

    __slots__ = ("file", "index", "offset")

    def __init__(self, file: int, offset: int, index: int) -> None:
        self.file, self.offset, self.index = file, offset, index


class _Places:
    """What is known of a session's messages: how many there are, and where every 64th starts."""

    def __init__(self, paths: Sequence[str], render: Renderer, identity: Identity | None) -> None:
        self.paths = paths
        self._render = render
        self.copies: set[tuple[int, int]] = set()
        """Number of the file and offset of lines that an earlier file has too."""
        self._identity = identity if len(paths) > 1 else None
        self._first: dict[Hashable, int] = {}
        """The first file that has a line, by the line's identity."""
        self.positions = [Position() for _ in paths]
        self.places: list[_Place] = []
        self.total = 0

    def catch_up(self) -> bool:
        """Count what was appended to the last file; return False if another file changed, or one is gone."""
        for number, (path, position) in enumerate(zip(self.paths, self.positions, strict=True)):
            fresh = position.identity == (0, 0)
            with _opened(path, position) as growth:
                if growth is None and fresh:
                    continue
                if growth is None or (growth.restarted and not fresh):
                    return False
                for offset, line in _lines(growth.blocks(), position):
                    if not fresh and number < len(self.paths) - 1:
                        return False
                    self._count(number, offset, line)
        return True

    def render(self, line: bytes) -> Sequence[StoredMessage]:
        """Return the messages of a line."""
        if is_too_complex(line):
            return [_notice(line, "has too many parts to show")]
        return [_notice(line, "is too large to show")] if is_too_wide(line) else self._render(line)

    def _count(self, file: int, offset: int, line: bytes) -> None:
        found = len(self.render(line))
        if found and self._is_copy(file, line):
            self.copies.add((file, offset))
            return
        if found and (not self.places or self.total - self.places[-1].index >= _STEP):
            self.places.append(_Place(file, offset, self.total))
        self.total += found

    def _is_copy(self, file: int, line: bytes) -> bool:
        return self._identity is not None and self._first.setdefault(self._identity(line), file) != file


class MessagePlaces:
    """Cache where the messages of sessions are. Thread-safe."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Places] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def open(
        self,
        key: str,
        paths: Sequence[str],
        render: Callable[[], Renderer],
        identity: Identity | None = None,
    ) -> Iterator["LineMessages"]:
        """Open the messages of a session whose lines are in `paths`. Raises StorageError naming the path.

        With `identity`, a line that an earlier file has too gives no messages.
        """
        with self._lock:
            known = self._known.pop(key, None)
        if known is None or list(known.paths) != list(paths) or not known.catch_up():
            known = _Places(paths, render(), identity)
            known.catch_up()
        try:
            yield LineMessages(known)
        finally:
            with self._lock:
                self._known[key] = known
                while len(self._known) > _KEPT:
                    self._known.popitem(last=False)


class LineMessages:
    """The open messages of one session; see `Messages` in the contract."""

    def __init__(self, known: _Places) -> None:
        self._known = known

    @property
    def total(self) -> int:
        """Return the number of messages."""
        return self._known.total

    def read(self, start: int, end: int) -> list[StoredMessage]:
        """Read the messages from index `start` up to, but not including, `end`."""
        return list(islice(self.since(start), max(0, end - start)))

    def since(self, start: int = 0) -> Iterator[StoredMessage]:
        """Iterate over the messages from index `start` on."""
        place = max((each for each in self._known.places if each.index <= start), key=_index, default=None)
        if place is None or start >= self.total:
            return
        index = place.index
        for line in self._lines_from(place):
            for message in self._known.render(line):
                if start <= index < self.total:
                    message.index = index
                    yield message
                index += 1

    def _lines_from(self, place: _Place) -> Iterator[bytes]:
        for number in range(place.file, len(self._known.paths)):
            known = self._known.positions[number]
            offset = place.offset if number == place.file else 0
            position = Position(offset, known.identity)
            with _opened(self._known.paths[number], position) as growth:
                if growth is not None and not growth.restarted:
                    for at, line in _lines(growth.blocks(), position):
                        if at >= known.offset:
                            break
                        if (number, at) not in self._known.copies:
                            yield line


def _notice(line: bytes, reason: str) -> StoredMessage:
    text = f"This record of {len(line):,} bytes {reason}."
    return StoredMessage(index=0, role="system", kind="notice", text=text)


def _index(place: _Place) -> int:
    return place.index


def _lines(blocks: Iterator[bytes], position: Position) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of blocks with their offsets; the position is already behind each block."""
    for block in blocks:
        offset = position.offset - len(block)
        for line in block.split(b"\n"):
            if line:
                yield offset, line
            offset += len(line) + 1


@contextmanager
def _opened(path: str, position: Position) -> Iterator[Growth | None]:
    """Open a file; None if it does not exist. Raises StorageError if it cannot be read."""
    try:
        with open_growing(path, path, position) as growth:
            yield growth
    except FileNotFoundError:
        yield None
    except Unreadable as error:
        reason = error.problem.message
        raise StorageError(reason, path=path, reason=reason) from None
