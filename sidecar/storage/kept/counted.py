"""Which lines of the list count, and which copied files they use. Pure."""

from collections import Counter
from collections.abc import Container, Iterable
from itertools import chain

from sidecar.storage.kept.records import KeptSession


class Counted:
    """The lines that count: a whole copy, or a deletion, replaces all earlier lines of its session.

    A copy that is not whole replaces nothing: it was not finished, or files of it are missing.
    """

    def __init__(self, lines: Iterable[tuple[str, KeptSession]], there: Container[str]) -> None:
        """`there` has the names of the copied files that exist."""
        self.lines: dict[str, list[KeptSession]] = {}
        self.whole: dict[str, KeptSession] = {}
        self._all: dict[str, list[KeptSession]] = {}
        """All lines, also those that no longer count."""
        self._users: Counter[str] | None = None
        """How many sessions use a copied file, once that is needed."""
        for key, session in lines:
            if session.deleted or _is_whole(session, there):
                self.replace(key, session)
            else:
                self.begin(key, session)

    def begin(self, key: str, session: KeptSession) -> None:
        """Note the line of a copy that is not whole."""
        lines = self.lines.get(key, [])
        if session not in lines:
            self._set(key, session, [*lines, session])

    def replace(self, key: str, session: KeptSession) -> None:
        """Note the line of a whole copy, or of a deletion."""
        self._set(key, session, [session])
        if session.deleted:
            self.whole.pop(key, None)
        else:
            self.whole[key] = session

    def latest(self, key: str) -> KeptSession | None:
        """Return the whole copy of a session, or else the last line of one that is not whole."""
        last = self.lines.get(key, [None])[-1]
        return self.whole.get(key) or (last if last is not None and not last.deleted else None)

    def missing(self) -> list[str]:
        """Return the sessions that are listed, but of which no copy is whole."""
        return [key for key, [*_, last] in self.lines.items() if not last.deleted and key not in self.whole]

    def used(self) -> set[str]:
        """Return the copied files of all sessions."""
        return set(chain.from_iterable(map(_blobs, self.lines.values())))

    def used_by(self, key: str) -> set[str]:
        """Return the copied files of a session."""
        return _blobs(self.lines.get(key, ()))

    def named_by(self, key: str) -> set[str]:
        """Return the copied files that any line of a session names, also those that no longer count."""
        return {name for session in self._all.get(key, ()) for name in session.blobs}

    def own(self, key: str) -> set[str]:
        """Return what `named_by` does, except for what another session uses."""
        if self._users is None:
            self._users = Counter(chain.from_iterable(map(_blobs, self.lines.values())))
        used = self.used_by(key)
        return {name for name in self.named_by(key) if self._users[name] == (name in used)}

    def _set(self, key: str, session: KeptSession, lines: list[KeptSession]) -> None:
        self._all.setdefault(key, []).append(session)
        if self._users is not None:
            self._users.subtract(self.used_by(key))
            self._users.update(_blobs(lines))
        self.lines[key] = lines


def _is_whole(session: KeptSession, there: Container[str]) -> bool:
    """Return whether all files of a copy exist; older versions listed copies without any."""
    return bool(session.files) and all(file.blob in there for file in session.files)


def _blobs(lines: Iterable[KeptSession]) -> set[str]:
    return {file.blob for session in lines if not session.deleted for file in session.files}
