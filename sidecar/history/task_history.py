"""TaskHistory: the stored tasks of all roots, as every face of the sidecar asks for them."""

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sidecar.api.errors import AmbiguousTaskId, InvalidParams, TaskNotFound
from sidecar.api.tasks import ListResult, MessagesParams, MessagesResult, Provenance, Rules, Sort, TaskInfo
from sidecar.history import guide
from sidecar.history.catalog import RootCatalog
from sidecar.history.paging import (
    Mark,
    check_limit,
    decode_mark,
    digest,
    encode_cursor,
    ordered,
    sort_value,
    start_after,
)
from sidecar.history.roots import Root, describe_root, writer_of
from sidecar.history.selection import Selection

if TYPE_CHECKING:
    from sidecar.history.file_lookup import FileLookup
    from sidecar.history.query.predicates import Touching
    from sidecar.history.transcript import End, Kind, Transcripts

MAX_CANDIDATES = 20
"""Tasks named in the answer to an ambiguous prefix."""

Rows = list[TaskInfo]
RootLike = str | os.PathLike[str] | Root


def clock_ms() -> int:
    """The current time in ms since the epoch."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Changes:
    """Ids by what happened to them since the last `refresh`."""

    added: list[str]
    changed: list[str]
    removed: list[str]


class TaskHistory:
    """Lists, finds and opens stored tasks. Every method may be called from any thread.

    `roots` are paths that hold `tasks/`; one that does not exist is empty. `now` gives the time in ms,
    `revision` the Host's current revision for results.
    """

    def __init__(
        self,
        roots: Sequence[RootLike],
        now: Callable[[], int] = clock_ms,
        revision: Callable[[], int] = lambda: 0,
    ) -> None:
        described = [root if isinstance(root, Root) else describe_root(root) for root in roots]
        self._catalogs = {root.path: RootCatalog(root) for root in described}
        self._now = now
        self._revision = revision
        self._announced: dict[tuple[str, str], TaskInfo] = {}
        self._lock = threading.RLock()

    @property
    def roots(self) -> Sequence[Root]:
        """The roots in the order they were given."""
        return [catalog.root for catalog in self._catalogs.values()]

    @property
    def known(self) -> int:
        """How many tasks are held in memory."""
        return sum(catalog.size for catalog in self._catalogs.values())

    @cached_property
    def files(self) -> "FileLookup":
        """The files that tasks touched, and the tasks that touched a file."""
        from sidecar.history.file_lookup import FileLookup

        return FileLookup()

    @cached_property
    def _transcripts(self) -> "Transcripts":
        from sidecar.history.transcript import Transcripts

        return Transcripts()

    @property
    def revision(self) -> int:
        """The Host's current revision."""
        return self._revision()

    def list(self, filter: str | None = None, rules: Rules = "structural", query: str | None = None) -> Rows:
        """List all tasks that `filter` and `query` keep: newest first, or in the guide's own order.

        Raises QueryError for a query with a fault.
        """
        return self._select(Selection(filter, query, rules), None, None)[1]

    def page(
        self,
        filter: str | None = None,
        rules: Rules = "structural",
        sort: Sort | None = None,
        limit: int = 200,
        cursor: str | None = None,
        roots: Sequence[str] | None = None,
        query: str | None = None,
    ) -> ListResult:
        """List one page of the tasks that `filter` and `query` keep.

        Raises InvalidParams for a bad limit, cursor, query or root.
        """
        check_limit(limit)
        paths = self._paths(roots)
        order = _order(rules, sort)
        selection = Selection(filter, query, rules)
        asked = digest(filter, query, rules, order and [order.by, order.order], paths)
        mark = decode_mark(cursor, asked) if cursor is not None else None
        total, rows = self._select(selection, order, paths)
        start = start_after(rows, mark, order) if mark is not None else 0
        items = rows[start : start + limit]
        more = start + len(items) < len(rows)
        return ListResult(
            items=items,
            total=total,
            matched=len(rows),
            counts=dict(Counter(task.status for task in rows)),
            next_cursor=_cursor(items[-1], start + len(items) - 1, order, asked) if more else None,
            revision=self._revision(),
        )

    def select(self, selection: Selection, roots: Sequence[str] | None = None) -> Rows:
        """List the tasks of `roots` (default: all) that the selection keeps. Raises InvalidParams."""
        return self._select(selection, None, self._paths(roots))[1]

    def get(self, task_id: str) -> tuple[TaskInfo, dict[str, Provenance]]:
        """Read one task by its id or a unique prefix, with the source of each field.

        Raises TaskNotFound, and AmbiguousTaskId with the candidates.
        """
        with self._lock:
            catalog, name = self._find(task_id)
            opened = catalog.open(name, self._now())
        if opened is None or opened[1].info is None:
            raise _not_found(task_id)
        return opened[1].info, opened[1].provenance

    def messages(
        self,
        task_id: str,
        kind: "Kind" = "ui",
        cursor: str | None = None,
        limit: int = 200,
        from_: "End" = "start",
    ) -> MessagesResult:
        """Read one page of a task's messages, in file order, paging from either end.

        Raises as `get` does, InvalidParams for a bad cursor or limit, StorageError for an unreadable file.
        """
        root, name = self.resolve(task_id)
        params = MessagesParams(task_id=name, kind=kind, cursor=cursor, limit=limit, from_=from_)
        return self._transcripts.page(params, root.folder(name), writer_of(root, name), self._revision())

    def refresh(self) -> Changes:
        """Look at every root again and tell what changed since the last call (at first: all is added)."""
        with self._lock:
            known = {
                (task.root, task.id): task
                for catalog in self._catalogs.values()
                for task in catalog.scan("structural", self._now())
            }
            before, self._announced = self._announced, known
        return Changes(
            added=sorted(task_id for root, task_id in known.keys() - before.keys()),
            changed=sorted(key[1] for key in known.keys() & before.keys() if known[key] != before[key]),
            removed=sorted(task_id for root, task_id in before.keys() - known.keys()),
        )

    def resolve(self, task_id: str) -> tuple[Root, str]:
        """Find the root and the full id for an id or a unique prefix; raises as `get` does."""
        with self._lock:
            catalog, name = self._find(task_id)
        return catalog.root, name

    def _select(
        self, selection: Selection, sort: Sort | None, paths: Sequence[str] | None
    ) -> tuple[int, Rows]:
        """The number of tasks before filtering, and the ordered rows after it."""
        selection.check()
        rows = self._rows(selection.rules, paths)
        order = _order(selection.rules, sort)
        rows = (
            ordered(rows, order) if order is not None else guide.sort(rows)
        )  # its order depends on all rows
        return len(rows), selection.keep(rows, self._now(), self._touching)

    def _touching(self, parts: set[str], rows: Rows) -> "Touching":
        return self.files.touching(parts, rows)

    def _rows(self, rules: Rules, paths: Sequence[str] | None) -> Rows:
        with self._lock:
            catalogs = [self._catalogs[path] for path in paths or self._catalogs]
            return [task for catalog in catalogs for task in catalog.scan(rules, self._now())]

    def _paths(self, roots: Sequence[str] | None) -> Sequence[str]:
        if roots is None:
            return [*self._catalogs]
        paths = [describe_root(root).path for root in roots]
        for path in paths:
            if path not in self._catalogs:
                raise InvalidParams(f"roots: {path} is not a root of this server; name it at initialize")
        return paths

    def _find(self, task_id: str) -> tuple[RootCatalog, str]:
        owners: dict[str, RootCatalog] = {}
        for catalog in self._catalogs.values():
            for name in catalog.names():
                if name.startswith(task_id):
                    owners.setdefault(name, catalog)
        if task_id in owners:
            return owners[task_id], task_id
        if not owners or not task_id:
            raise _not_found(task_id)
        if len(owners) > 1:
            raise self._ambiguous(task_id, owners)
        ((name, catalog),) = owners.items()
        return catalog, name

    def _ambiguous(self, task_id: str, owners: dict[str, RootCatalog]) -> AmbiguousTaskId:
        candidates = []
        for name in sorted(owners)[:MAX_CANDIDATES]:
            opened = owners[name].open(name, self._now())
            if opened is not None and opened[1].info is not None:
                candidates.append({"id": name, "label": opened[1].info.title})
        message = f"{len(owners)} tasks start with {task_id!r}; give more of the id"
        return AmbiguousTaskId(message, taskId=task_id, candidates=candidates)


def _order(rules: Rules, sort: Sort | None) -> Sort | None:
    """The order asked for; None stands for the guide's own."""
    return sort if sort is not None or rules == "guide" else Sort()


def _cursor(last: TaskInfo, place: int, order: Sort | None, query: str) -> str:
    value = sort_value(last, order.by) if order is not None else None
    return encode_cursor(query, *Mark(value, last.id, last.root, place))


def _not_found(task_id: str) -> TaskNotFound:
    return TaskNotFound(f"no stored task has the id or prefix {task_id!r}", taskId=task_id)
