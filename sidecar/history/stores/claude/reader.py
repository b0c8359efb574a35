"""Read sessions from their files, and only what was appended to files that were read lately."""

import os
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.reading import Stamp, stamp_of
from sidecar.history.stores.append_only.growing_file import Position, Unreadable, open_growing
from sidecar.history.stores.append_only.records import Damage
from sidecar.history.stores.claude.fold import FileFold
from sidecar.history.stores.claude.layout import is_agent
from sidecar.history.stores.claude.records import LINES

_KEPT: Final = 64
"""Sessions whose facts are kept, so that only what is appended to them is read."""


@dataclass(slots=True)
class _Part:
    """One file of a session: how far it was read, and what was wrong with it."""

    path: str
    position: Position = field(default_factory=Position)
    damage: Damage = field(default_factory=Damage)
    stamp: Stamp | None = None
    problems: list[Problem] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Return the name of the file."""
        return self.path.rpartition(os.sep)[2]  # `PurePath` takes as long as a record


@dataclass(slots=True)
class ReadSession:
    """The facts of a session's files as they were read."""

    fold: FileFold
    parts: list[_Part]
    foreign: tuple[Collection[str], Collection[str]] = ((), ())

    @property
    def stamps(self) -> tuple[tuple[int, ...], ...]:
        """Return the stamp of each file; empty for a missing one."""
        return tuple(part.stamp or () for part in self.parts)

    @property
    def exists(self) -> bool:
        """Return whether there is any file, readable or not."""
        return any(part.stamp or part.problems for part in self.parts)

    @property
    def size(self) -> int:
        """Return the size of all files, in bytes."""
        return sum(part.stamp[1] for part in self.parts if part.stamp)

    @property
    def problems(self) -> list[Problem]:
        """Return what is wrong with the files."""
        return [
            problem for part in self.parts for problem in (*part.problems, *part.damage.problems(part.name))
        ]


class SessionReader:
    """Read the sessions of one root. Not thread-safe."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, ReadSession] = OrderedDict()
        self._latest: str | None = None
        """The session that was read last, for the first time."""
        self._seen: set[str] = set()
        """All sessions that were read."""

    def read(
        self,
        key: str,
        paths: Sequence[str],
        foreign: Collection[str] = (),
        foreign_answers: Collection[str] = (),
    ) -> ReadSession:
        """Read a session; records in `foreign` and answers in `foreign_answers` are those of another one."""
        self._forget_latest(key)
        known = self._known.pop(key, None)
        if known is None or not _fits(known, paths, foreign, foreign_answers) or not _append(known):
            fold = FileFold(is_agent(key), foreign, foreign_answers)
            known = ReadSession(fold, [_Part(path) for path in paths], (foreign, foreign_answers))
            _append(known)
        self._known[key] = known
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return known

    def _forget_latest(self, key: str) -> None:
        """Forget the session that was read last unless it is `key` or was read before.

        A first scan reads thousands once. To keep each for a while takes a tenth of its time, because their
        memory is used again only after it has left the processor's cache.
        """
        if self._latest is not None and self._latest != key:
            self._known.pop(self._latest, None)
        self._latest = None if key in self._seen else key
        self._seen.add(key)


def _fits(
    known: ReadSession, paths: Sequence[str], foreign: Collection[str], answers: Collection[str]
) -> bool:
    return [part.path for part in known.parts] == list(paths) and known.foreign == (foreign, answers)


def _append(session: ReadSession) -> bool:
    """Read what was appended; return False if a file is not a continuation of what was read."""
    for part in session.parts:
        fresh = part.stamp is None
        try:
            with open_growing(part.path, part.name, part.position) as growth:
                if growth.restarted and not fresh:
                    return False
                part.stamp, part.problems = growth.stamp, growth.problems
                for block in growth.blocks():
                    offset = part.position.offset - len(block)
                    records = LINES.decode(block, part.damage, offset)
                    session.fold.take(growth.counted(records))
        except FileNotFoundError:
            part.stamp = None
            if not fresh:
                return False
        except Unreadable as error:
            part.stamp, part.problems = stamp_of(part.path), [error.problem]
    return True
