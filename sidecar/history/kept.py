"""Decide which sessions need a copy because their product will delete them."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sidecar.api.stored.tasks import Product
from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.history.stores.index_row import IndexRow, info_of
from sidecar.history.stores.status_by_age import DAY_MS
from sidecar.storage.kept.copies import Copies
from sidecar.storage.kept.records import KeptSession
from sidecar.storage.kept.soundness import Soundness

SOON_DAYS: Final = 3
"""How long before its deletion a session is announced."""
_LONGEST_LEAD_DAYS: Final = 14
"""How long before its deletion a session is copied at most: the sidecar may not run every day."""
_NS_PER_MS: Final = 1_000_000


class Due(NamedTuple):
    """A member that needs a copy, or another one because its copy `is_damaged`."""

    key: str
    product: Product
    is_damaged: bool


def due_for_a_copy(
    catalog: RootCatalog, copies: Copies, products: Sequence[Product], now: int, soundness: Soundness
) -> list[Due]:
    """Return the members of a root that need a copy: those with a damaged one, then all in order of deletion.

    `now` is in ms. Raises Stopped.
    """
    period = catalog.store.deletes_after()
    if period is None:
        return []
    rows = catalog.rows("structural")
    members = {row.within or row.id: row for row in rows.values() if row.body}
    touched = {key: rows[key].touched if key in rows else row.touched for key, row in members.items()}
    doomed = {key for key, row in members.items() if catalog.store.deletes_next(row)}
    due: list[Due] = []
    for key in sorted(members, key=lambda key: (touched[key], key)):
        goes_next = key in doomed or members[key].child_of in doomed  # a product deletes the children too
        is_due = goes_next or touched[key] + period - lead_ms(period) <= now
        if not is_due:
            continue
        is_copied = has_current_copy(copies, key, touched[key])
        if is_copied and not _is_replaceable(catalog, copies, key, soundness):
            continue
        product = info_of(members[key], "structural", now).product
        if product in products and catalog.store.files(key) and not _was_deleted(copies, key, touched[key]):
            due.append(Due(key, product, is_copied))
    return sorted(due, key=lambda each: not each.is_damaged)  # what replaces a copy needs hardly any room


def deleted_at(catalog: RootCatalog, row: IndexRow, period: int) -> int:
    """Return when a product that keeps an unchanged session for `period` ms deletes one, in ms."""
    return row.touched if catalog.store.deletes_next(row) else row.touched + period


def lead_ms(period: int) -> int:
    """Return how long before its deletion a session is copied, for a product that deletes after `period`."""
    return max(SOON_DAYS * DAY_MS, min(period // 2, _LONGEST_LEAD_DAYS * DAY_MS))


def has_current_copy(copies: Copies, key: str, touched: int) -> bool:
    """Return whether there is a copy of a session that changed last at `touched`, in ms."""
    session = copies.sessions().get(key)
    return session is not None and _covers(session, touched)


def is_safe(copies: Copies, row: IndexRow) -> bool:
    """Return whether a session would still be listed without its files."""
    return has_current_copy(copies, row.within or row.id, row.touched)


def _is_replaceable(catalog: RootCatalog, copies: Copies, key: str, soundness: Soundness) -> bool:
    """Return whether the copy of a session is damaged, and the session still exists."""
    return bool(catalog.store.files(key) and soundness.damaged_files(copies, copies.sessions()[key]))


def _covers(session: KeptSession, touched: int) -> bool:
    return touched <= max((file.mtime_ns for file in session.files), default=0) // _NS_PER_MS


def _was_deleted(copies: Copies, key: str, touched: int) -> bool:
    """Return whether the copy of a session was deleted, and the session did not change since."""
    session = copies.deleted(key)
    return session is not None and _covers(session, touched)
