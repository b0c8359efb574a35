"""The rows of a root's sessions, each record counted in the session that wrote it."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from sidecar.history.stored.texts import one_line
from sidecar.history.stores.claude.copied.links import Links, links_of
from sidecar.history.stores.claude.copied.owned import NOTHING_FOREIGN, Foreign, Owned, is_within
from sidecar.history.stores.claude.copied.shared_records import SharedRecords, in_order
from sidecar.history.stores.claude.facts import Facts
from sidecar.history.stores.claude.layout import is_agent
from sidecar.history.stores.claude.reader import ReadSession, SessionReader
from sidecar.history.stores.claude.row import Place, session_of
from sidecar.history.stores.contract import OpenedTask
from sidecar.history.stores.index_row import IndexRow, ReadRows, fingerprint_of, info_of, make_row, with_info
from sidecar.history.stores.sessions.parents import with_listed_parent
from sidecar.history.stores.sessions.session import Session, opened_session, row_of_session

_NS_PER_MS: Final = 1_000_000
_TRIES: Final = 3
"""How often files that grow while they are read are read again."""
_HIDE_ALL: Final = frozenset({"unreadable", "notRegular", "tooLarge"})
_HIDE_RECORDS: Final = frozenset({"cut", "malformed", "padding"})
"""The problems of a file that may have lost the records that made it a task."""
_links: Final = msgspec.msgpack.Decoder(Links)

Paths = Callable[[str], Sequence[str]]
Parent = Callable[[str], str | None]


class SessionRows:
    """Read sessions into rows, and relate those that share records. Not thread-safe.

    `paths` returns the files of a key, `parent` the session of a subagent as its folder names it, `kept` the
    keys with a kept copy.
    """

    def __init__(self, root: str, paths: Paths, parent: Parent, kept: Callable[[], Collection[str]]) -> None:
        self._root = root
        self._paths = paths
        self._parent = parent
        self._kept = kept
        self._reader = SessionReader()
        self._shared = SharedRecords()
        self._foreign: dict[str, Foreign] = {}
        self._children: defaultdict[str, set[str]] = defaultdict(set)
        """The rows of child sessions by the session that they name as their parent."""

    def rows(self, keys: Sequence[str], now: int) -> ReadRows:
        """Read files into the rows of their sessions and of the subagents inside of them."""
        found: ReadRows = {}
        kept = self._kept()  # once, because each look takes a stat
        for key in keys:
            found |= self._rows_of(key, self._foreign.get(key, NOTHING_FOREIGN), now, kept)
        return found

    def damaged_row(self, key: str) -> IndexRow:
        """Create the row of a file that ended or blocked its reader."""
        from sidecar.history.stored.problems import problem
        from sidecar.history.stored.reading import stamp_of

        stamps = tuple(stamp_of(path) or () for path in self._paths(key))
        session = Session(id=key, product="claude", end="open", source=key)
        session.problems = [problem("internal", f"{key}: reading the file failed")]
        fingerprint = fingerprint_of(stamps, key in self._kept())
        return row_of_session(session, self._root, fingerprint, 0, _touched(stamps))

    def open(self, key: str, member: str, now: int) -> OpenedTask | None:
        """Read one session with the sources of its fields."""
        read = self._read(member, self._foreign.get(member, NOTHING_FOREIGN))
        thread = read.fold.main if key == member else read.fold.sidechains.get(key)
        if not read.exists or thread is None or not _is_shown(thread.facts, read, key == member):
            return None
        return opened_session(self._session(key, member, thread.facts, read, self._kept()), self._root, now)

    def related(
        self,
        rows: Mapping[str, IndexRow],
        before: Mapping[str, IndexRow],
        changed: Collection[str],
        now: int,
    ) -> ReadRows:
        """Return the rows that differ because of copied records, names in other files, and parents."""
        if not self._shared.links:
            self._learn(before, before.keys())
        affected = self._learn(rows, changed)
        found: ReadRows = {}
        kept = self._kept()
        for key in affected:
            if key in found:
                continue
            if len(group := self._shared.group(key)) > 1:
                found |= self._of_group(group, now, kept)
            elif key in rows and (key in self._foreign or key not in changed):
                self._foreign.pop(key, None)  # what it shared with others is its own now
                found |= self._rows_of(key, NOTHING_FOREIGN, now, kept)
        current = {**rows, **{name: row for name, row in found.items() if row is not None}}
        checked = {*changed, *found, *affected}
        checked |= {child for key in checked for child in self._children.get(key, ())}
        for key in checked:
            row = current.get(key)
            if row is not None and (fitted := self._fitted(row, current)) is not row:
                found[key] = fitted
        return found

    def _learn(self, rows: Mapping[str, IndexRow], keys: Collection[str]) -> set[str]:
        """Take the links and parents of rows; return the files whose group or name may differ."""
        links: dict[str, Links | None] = {}
        for key in keys:
            row = rows.get(key)
            if row is None:
                links[key] = None
                continue
            if row.links:
                links[key] = found = _links.decode(row.links)
                parent = found.parent
            else:
                parent = row.within
            if parent:
                self._children[parent].add(key)
        return self._shared.update(links)

    def _of_group(self, group: Collection[str], now: int, kept: Collection[str]) -> ReadRows:
        """Read files that share records, and again if one has grown, which may change their order."""
        found: ReadRows = {}
        for _ in range(_TRIES):
            found = self._read_in_order(group, now, kept)
            links = {key: _links.decode(row.links) for key, row in found.items() if row and row.links}
            if not (grown := {key: each for key, each in links.items() if self._has_grown(key, each)}):
                break
            self._shared.update(grown)
        return found

    def _has_grown(self, key: str, links: Links) -> bool:
        known = self._shared.links.get(key)
        return known is not None and known.end != links.end

    def _read_in_order(self, group: Collection[str], now: int, kept: Collection[str]) -> ReadRows:
        """Read files so that each record belongs to the first that holds it."""
        found: ReadRows = {}
        owned = Owned()
        names: set[str] = set()
        for key in in_order(group, self._shared.links):
            self._foreign[key] = foreign = self._settled(key, owned)
            found |= self._rows_of(key, foreign, now, kept)
            for name, facts in _named_threads(key, self._read(key, foreign)):
                names.add(name)
                owned.add(facts)
        # A subagent whose records all belong to others may have been listed before they were known.
        return {**dict.fromkeys(name for name in names if not self._paths(name)), **found}

    def _settled(self, key: str, owned: Owned) -> Foreign:
        """Find what a file holds of others; it may have grown since its links were made."""
        foreign = owned.expected_in(self._shared.links[key])
        read = self._read(key, foreign)
        while not is_within(wanted := owned.held_by(_threads(read)), foreign):
            foreign = (foreign[0] | wanted[0], foreign[1] | wanted[1])
            read = self._read(key, foreign)
        return foreign

    def _fitted(self, row: IndexRow, rows: Mapping[str, IndexRow]) -> IndexRow:
        """Give a row the name that another file has for it, and leave out a parent that is not listed."""
        links = self._shared.links.get(row.id)
        parent = links.parent if links is not None else row.within or None
        fitted = with_listed_parent(row, parent, rows) if parent is not None else row
        name = self._shared.names.get(row.id)
        if name is None or not row.body:
            return fitted
        info = info_of(fitted, "structural", 0)
        info.title = one_line(name)
        named = with_info(fitted, info)
        return fitted if named.body == fitted.body else named

    def _rows_of(self, key: str, foreign: Foreign, now: int, kept: Collection[str]) -> ReadRows:
        read = self._read(key, foreign)
        if not read.exists:
            return {key: None}
        fingerprint = fingerprint_of(read.stamps, key in kept)
        touched = _touched(read.stamps)
        found: ReadRows = {}
        for name, facts in _named_threads(key, read):
            if _is_shown(facts, read, name == key):
                session = self._session(name, key, facts, read, kept)
                row = row_of_session(session, self._root, fingerprint, now, touched)
            elif name == key:
                row = make_row(name, self._root, fingerprint, None, touched=touched)
            else:
                continue
            if name == key:
                row.links = msgspec.msgpack.encode(links_of(read.fold, self._parent_of(key, facts)))
            else:
                row.within = key
            found[name] = row
        return found

    def _session(
        self, key: str, member: str, facts: Facts, read: ReadSession, kept: Collection[str]
    ) -> Session:
        inside = key != member
        parent = member if inside else self._parent_of(member, facts)
        place = Place(
            source=read.parts[0].name,
            size=0 if inside else read.size,
            problems=[] if inside else read.problems,
            is_child=parent is not None,
            parent=parent or None,
            kept=member in kept,
        )
        return session_of(key, facts, place)

    def _parent_of(self, key: str, facts: Facts) -> str | None:
        """Return the session of a subagent, empty if it is not known; None for a session."""
        if not is_agent(key):
            return None
        return self._parent(key) or facts.session

    def _read(self, key: str, foreign: Foreign) -> ReadSession:
        return self._reader.read(key, self._paths(key), *foreign)


def _named_threads(key: str, read: ReadSession) -> Iterator[tuple[str, Facts]]:
    yield key, read.fold.main.facts
    for root, thread in read.fold.sidechains.items():
        yield root, thread.facts


def _threads(read: ReadSession) -> Iterator[Facts]:
    yield read.fold.main.facts
    for thread in read.fold.sidechains.values():
        yield thread.facts


def _is_shown(facts: Facts, read: ReadSession, is_main: bool) -> bool:
    """Return whether a session is a task; one that cannot be read may be one.

    `is_main` is False for a subagent whose records are in the file of its session.
    """
    hiding = _HIDE_ALL | _HIDE_RECORDS if is_main else _HIDE_ALL
    return facts.is_task or any(each.code in hiding for each in read.problems)


def _touched(stamps: tuple[tuple[int, ...], ...]) -> int:
    return max((stamp[0] for stamp in stamps if stamp), default=0) // _NS_PER_MS
