"""TaskHistory: the stored tasks of all roots, for all parts of the sidecar."""

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from sidecar.api.errors import AmbiguousTaskId, TaskNotFound
from sidecar.api.stored.tasks import (
    MessagesParams,
    MessagesResult,
    Provenance,
    Rules,
    TaskInfo,
    TaskStatus,
    UnlistedFolder,
)
from sidecar.history.catalog.index import RowIndex
from sidecar.history.catalog.root_catalog import ReadMany, RootCatalog
from sidecar.history.catalog.row_changes import Change
from sidecar.history.listing.pages import ListPage
from sidecar.history.listing.row_selector import RowSelector
from sidecar.history.listing.selection import ListQuery, Selection
from sidecar.history.lost_copies import lost_copies
from sidecar.history.root_names import RootNames
from sidecar.history.stored.shared_remedies import SHARED_REMEDIES
from sidecar.history.stored.texts import encodable
from sidecar.history.stores.contract import Evidence, Kind, Root, Store
from sidecar.history.stores.parallel import Parallel, sequential
from sidecar.history.stores.registry import describe_root
from sidecar.history.stores.status_by_age import FOR_EVER

if TYPE_CHECKING:
    from sidecar.history.messages.file_lookup import FileLookup
    from sidecar.history.messages.transcript import End

# Imports that not every list needs are local: they would take half the time of a short list.

MAX_CANDIDATES = 20
"""The most candidates reported for an ambiguous prefix."""

Rows = list[TaskInfo]
RootLike = str | os.PathLike[str] | Root


def clock_ms() -> int:
    """Return the current time in ms since the epoch."""
    return time.time_ns() // 1_000_000


class Changes(msgspec.Struct, frozen=True):
    """Ids of tasks that changed since the last `refresh`, by kind of change."""

    added: list[str]
    changed: list[str]
    removed: list[str]

    def any(self) -> bool:
        """Return whether there are any changes."""
        return bool(self.added or self.changed or self.removed)


class TaskHistory:
    """List, find and open stored tasks. Thread-safe.

    `roots` are paths that hold `tasks/`; a missing one is empty, and one with several names through links
    counts once, under its first name. If several hold the same ID, it means the task of the first, unless a
    method is given the `root`, a path.

    `now` returns the time in ms, `revision` the Host's current revision for results. A `cache` directory
    keeps an index of each root between processes; `close` saves it. `read` reads
    many tasks at once; `parallel` scans and reads many tasks in parts. `kept` is the folder of all kept
    copies of sessions. `catalogs` of the same roots in a former history are used again.
    """

    def __init__(
        self,
        roots: Sequence[RootLike],
        now: Callable[[], int] = clock_ms,
        revision: Callable[[], int] = lambda: 0,
        cache: Path | None = None,
        read: ReadMany | None = None,
        parallel: Parallel = sequential,
        kept: Path | None = None,
        catalogs: Sequence[RootCatalog] = (),
    ) -> None:
        self.kept = str(kept or "")
        described = [
            root if isinstance(root, Root) else describe_root(root, kept=self.kept) for root in roots
        ]
        self.names = RootNames(described)
        former = {catalog.root: catalog for catalog in catalogs}
        self._catalogs = {
            root.path: former.get(root) or RootCatalog(root, _index(cache, root), read, parallel)
            for root in self.names.roots
        }
        self.now = now
        self._revision = revision
        self._selector = RowSelector(
            self._catalogs, self.names, now, lambda parts, tasks: self.files.touching(parts, tasks)
        )
        self._lock = threading.RLock()

    @property
    def followed(self) -> bool:
        """Whether changes are followed, so that lists need not scan."""
        return self._selector.followed

    @followed.setter
    def followed(self, value: bool) -> None:
        self._selector.followed = value

    def know_ends(self, ends: Callable[[], Mapping[str, TaskStatus]]) -> None:
        """Call `ends`, in any thread, for the end of tasks in the first root whose files do not record it."""
        self._selector.ends = ends

    @property
    def roots(self) -> Sequence[Root]:
        """Return the roots in their given order."""
        return [catalog.root for catalog in self._catalogs.values()]

    def store(self, root: str) -> Store:
        """Return the store of the root at this path, which must be one of `roots`."""
        return self._catalogs[root].store

    @property
    def catalogs(self) -> Sequence[RootCatalog]:
        """Return the catalog of each root, to follow its changes."""
        return [*self._catalogs.values()]

    @property
    def known(self) -> int:
        """Return the number of tasks in memory."""
        return sum(catalog.size for catalog in self._catalogs.values())

    @property
    def revision(self) -> int:
        """Return the Host's current revision."""
        return self._revision()

    @cached_property
    def files(self) -> "FileLookup":
        """Return the lookup between tasks and the files they touched."""
        from sidecar.history.messages.file_lookup import FileLookup

        return FileLookup(self.store)

    def list(
        self,
        filter: str | None = None,
        rules: Rules = "structural",
        query: str | None = None,
        children: bool = False,
    ) -> Rows:
        """List the tasks that match `filter` and `query`, newest first or in the guide's order.

        Child sessions are left out unless `children` or the query asks for them. Raises QueryError for an
        invalid query.
        """
        return self.select(Selection(filter, query, rules, children=children))

    def select(self, selection: Selection, roots: Sequence[str] | None = None) -> Rows:
        """List the tasks of `roots` (default: all) that the selection keeps. Raises InvalidParams."""
        return self._selector.select(selection, roots)

    def page(self, query: ListQuery = ListQuery()) -> ListPage:  # noqa: B008 (frozen)
        """List one page of tasks. Raises InvalidParams for a bad limit, cursor, query or root."""
        page = self._selector.page(query, self._revision())
        page.unlisted = self.unlisted(query.roots)
        return page

    def shows_any(self, root: str) -> bool:
        """Return whether the last scan found tasks in the root at this path."""
        return any(row.body for row in self._catalogs[root].rows("structural").values())

    def unlisted(self, roots: Sequence[str] | None = None) -> Sequence[UnlistedFolder]:
        """Return the folders of `roots` (default: all) that the last scan could not list.

        Lost kept copies are among them.
        """
        found: list[tuple[str, str, str]] = []
        for root in self.names.selected(roots):
            found += [(root, path, problem.message) for path, problem in self.store(root).unlisted()]
            lost = lost_copies(self._catalogs[root])
            found += [(root, path, f"{why}; {SHARED_REMEDIES[code]}") for path, code, why in lost]
        return [
            UnlistedFolder(root=encodable(root), path=encodable(path), message=why)
            for root, path, why in found
        ]

    def get(
        self, task_id: str, root: str | None = None, estimate: bool = False
    ) -> tuple[TaskInfo, dict[str, Provenance]]:
        """Read one task by its ID or a unique prefix, with the source of each field.

        With `estimate`, a task without a recorded cost shows an estimate.

        Raises TaskNotFound, AmbiguousTaskId with the candidates, and InvalidParams for an unknown root.
        """
        with self._lock:
            catalog, name = self._find(task_id, root)
            opened = catalog.open(name, self.now(), self.followed)
        if opened is None:
            raise self._not_found(task_id, root)
        info = opened.info
        if catalog.store.has_children:
            info = self._with_subtree(info)
        ended = self._selector.ends().get(name) if catalog is self.catalogs[0] else None
        if ended is not None:
            info = msgspec.structs.replace(info, status=ended)
        return self._estimated(info, opened.provenance) if estimate else (info, opened.provenance)

    def messages(
        self,
        task_id: str,
        kind: Kind = "ui",
        cursor: str | None = None,
        limit: int = 200,
        from_: "End" = "start",
        root: str | None = None,
    ) -> MessagesResult:
        """Read one page of a task's messages, in file order, paging from either end.

        Raises as `get` does, InvalidParams for a bad cursor or limit, StorageError for an unreadable file.
        """
        from sidecar.history.messages.transcript import message_page

        found, name = self.resolve(task_id, root)
        params = MessagesParams(task_id=name, kind=kind, cursor=cursor, limit=limit, from_=from_)
        return message_page(params, self.store(found.path), self._revision())

    def refresh(self) -> Changes:
        """Scan every root and return what changed since the last call.

        The first call compares with the first list, or with the index; without either, all is added.
        """
        for catalog in self._catalogs.values():
            catalog.scan("structural", self.now())
        return self.collect()

    def collect(self) -> Changes:
        """Return, without a scan, what changed since the last call of this or of `refresh`."""
        found: dict[Change, set[str]] = {"added": set(), "changed": set(), "removed": set()}
        for catalog in self._catalogs.values():
            for task_id, change in catalog.collect().items():
                found[change].add(task_id)
        return Changes(*(sorted(found[change]) for change in ("added", "changed", "removed")))

    def evidence(self) -> Sequence[Evidence] | None:
        """Return all places that lists depend on; None if they are not known.

        Recognizes the roots again first: what is found there from now on is what lists show.
        """
        found = dict.fromkeys(self.names.all, 1)
        for catalog in self._catalogs.values():
            catalog.recognize()
            places = catalog.evidence()
            if places is None:
                return None
            for path, levels in places:
                found[path] = max(levels, found.get(path, 0))
        return [*found.items()]

    @property
    def is_indexed(self) -> bool:
        """Whether an earlier process has kept rows."""
        return any(catalog.is_indexed for catalog in self._catalogs.values())

    def settled_until(self, now: int) -> int:
        """Return the time in ms until which the rows stay as they are unless files change."""
        return min((catalog.settled_until(now) for catalog in self._catalogs.values()), default=FOR_EVER)

    def close(self) -> None:
        """Save the indexes."""
        for catalog in self._catalogs.values():
            catalog.save()

    def resolve(self, task_id: str, root: str | None = None) -> tuple[Root, str]:
        """Find the root and the full ID for an ID or a unique prefix; raises as `get` does."""
        with self._lock:
            catalog, name = self._find(task_id, root)
        return catalog.root, name

    def other_holders(self, task_id: str, root: str) -> Sequence[Root]:
        """Return the other roots that hold a task with this full ID."""
        return [
            catalog.root
            for path, catalog in self._catalogs.items()
            if path != root and task_id in catalog.names(task_id, self.now())
        ]

    def touch(self, root: str, names: Sequence[str]) -> None:
        """Check tasks of one root now, if it is one of `roots`; the caller announces their changes."""
        catalog = self._catalogs.get(self.names.root_at(root) or "")
        if catalog is not None:
            catalog.touch(names, self.now(), quiet=True)

    def _with_subtree(self, info: TaskInfo) -> TaskInfo:
        from sidecar.history.stores.children import ChildSessions

        return ChildSessions(self._selector.rows(info.root, self.now()).values()).completed(info)

    def _estimated(
        self, info: TaskInfo, provenance: dict[str, Provenance]
    ) -> tuple[TaskInfo, dict[str, Provenance]]:
        from sidecar.history.prices import table_name

        estimated = self._selector.estimates.info(info)
        if estimated is info:
            return info, provenance
        source = Provenance(source=table_name() or "", note="an estimate from the tokens and the model")
        return estimated, {**provenance, "estimatedCost": source}

    def _find(self, task_id: str, root: str | None) -> tuple[RootCatalog, str]:
        searched = self._searched(root)
        if self.followed and (known := next((each for each in searched if each.knows(task_id)), None)):
            return known, task_id  # without checking all other tasks
        owners: dict[str, RootCatalog] = {}
        for catalog in searched:
            for name in catalog.names(task_id, self.now()):
                owners.setdefault(name, catalog)
        if task_id in owners:
            return owners[task_id], task_id
        if not owners or not task_id:
            raise self._not_found(task_id, root)
        if len(owners) > 1:
            raise self._ambiguous(task_id, owners)
        ((name, catalog),) = owners.items()
        return catalog, name

    def _searched(self, root: str | None) -> Sequence[RootCatalog]:
        if root is None:
            return self.catalogs
        return [self._catalogs[self.names.named(root, "root")]]

    def _not_found(self, task_id: str, root: str | None) -> TaskNotFound:
        from sidecar.history.listing.not_found import not_found

        return not_found(task_id, root, [each for c in self._searched(root) for each in c.store.unlisted()])

    def _ambiguous(self, task_id: str, owners: dict[str, RootCatalog]) -> AmbiguousTaskId:
        candidates = []
        for name in sorted(owners)[:MAX_CANDIDATES]:
            opened = owners[name].open(name, self.now())
            if opened is not None:
                candidates.append({"id": name, "label": opened.info.title})
        message = f"{len(owners)} tasks have an ID that starts with {task_id!r}; use a longer prefix"
        return AmbiguousTaskId(message, taskId=task_id, candidates=candidates)


def _index(cache: Path | None, root: Root) -> RowIndex | None:
    return RowIndex(cache, root.path) if cache is not None else None
