"""Find the sessions that their own product will delete soon."""

from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from sidecar.api.stored.stats import DueDeletion
from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.history.kept import SOON_DAYS, deleted_at, is_safe
from sidecar.history.stored.reading import stamp_of
from sidecar.history.stores.index_row import IndexRow, info_of
from sidecar.history.stores.status_by_age import DAY_MS
from sidecar.history.task_history import TaskHistory
from sidecar.storage.kept.copies import copies_in


class DueSession(NamedTuple):
    """A session without a kept copy that its product will delete at `at`, in ms since the epoch."""

    at: int
    row: IndexRow


def due_sessions(catalog: RootCatalog, now: int) -> list[DueSession]:
    """Return the sessions of a root that will be deleted soon, in the order of deletion; `now` is in ms."""
    period = catalog.store.deletes_after()
    if period is None:
        return []
    rows = catalog.rows("structural").values()
    copies = copies_in(catalog.root.copies)
    due = [
        DueSession(at, row)
        for row in rows
        if row.body and row.child_of is None and (row.touched or _has_files(catalog, row))
        if (at := deleted_at(catalog, row, period)) < now + SOON_DAYS * DAY_MS
        and not (is_safe(copies, row) or catalog.store.spares(row))
    ]
    return sorted(due, key=attrgetter("at"))


def due_deletion(history: TaskHistory, roots: Sequence[str] | None = None) -> DueDeletion | None:
    """Sum up what will be deleted soon in `roots`, by default in all; None if there is nothing."""
    now, paths = history.now(), history.names.selected(roots)
    due = [
        session
        for catalog in history.catalogs
        if catalog.root.path in paths
        for session in due_sessions(catalog, now)
    ]
    if not due:
        return None
    return DueDeletion(
        tasks=len(due),
        within_days=SOON_DAYS,
        first_at=min(session.at for session in due),
        products=sorted({info_of(session.row, "structural", now).product for session in due}),
    )


def _has_files(catalog: RootCatalog, row: IndexRow) -> bool:
    """Return whether a session without a time has files, whose time is the start of the epoch then."""
    return any(stamp_of(path) is not None for path in catalog.store.files(row.within or row.id))
