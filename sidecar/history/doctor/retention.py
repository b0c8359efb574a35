"""Announce the sessions that their own product will delete soon."""

from collections.abc import Iterator
from datetime import datetime

from sidecar.api.stored.doctor import Finding
from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.history.doctor.remedies import finding
from sidecar.history.due import due_sessions
from sidecar.history.kept import SOON_DAYS
from sidecar.history.stores.status_by_age import DAY_MS


def due_soon(catalog: RootCatalog, now: int) -> Iterator[Finding]:
    """Report how many sessions of a root will be deleted soon, and when; `now` is in ms."""
    due, period = due_sessions(catalog, now), catalog.store.deletes_after()
    if not due or period is None:
        return
    how_many = "1 session" if len(due) == 1 else f"{len(due):,} sessions"
    first = (
        "at the next start"
        if due[0].at <= now
        else f"from {datetime.fromtimestamp(due[0].at / 1000):%Y-%m-%d %H:%M}"
    )
    message = (
        f"{how_many} will be deleted within {SOON_DAYS} days, {first}: "
        f"the product deletes a session {_days(period)} after its last change"
    )
    if any(catalog.store.deletes_next(session.row) for session in due):
        message += ", or at its next start if it was resumed"
    yield finding("dueDeletion", catalog.root.path, message, path=catalog.root.path)


def _days(period: int) -> str:
    days = period / DAY_MS
    return "1 day" if days == 1 else f"{days:,.15g} days"
