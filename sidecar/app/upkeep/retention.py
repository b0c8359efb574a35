"""Choose the tasks of the own root that exceed the retention settings; pure functions."""

from collections.abc import Iterable, Mapping

from sidecar.api.stored.tasks import TaskInfo

_DAY_MS = 86_400_000


def expired(
    rows: Iterable[TaskInfo], sizes: Mapping[str, int], now: int, days: int | None, max_bytes: int | None
) -> list[str]:
    """Return the IDs of tasks older than `days`, then of the oldest until at most `max_bytes` remain.

    `sizes` has the size of each task's folder in bytes. Favorites and tasks of unknown age always stay.
    """
    aged = [row for row in rows if row.last_activity is not None and not row.favorite]
    aged.sort(key=lambda row: (row.last_activity or 0, row.id))
    limit = now - days * _DAY_MS if days is not None else None
    gone = [row.id for row in aged if limit is not None and (row.last_activity or 0) < limit]
    kept_bytes = sum(sizes.values()) - sum(sizes.get(task_id, 0) for task_id in gone)
    for row in aged[len(gone) :]:
        if max_bytes is None or kept_bytes <= max_bytes:
            break
        gone.append(row.id)
        kept_bytes -= sizes.get(row.id, 0)
    return gone
