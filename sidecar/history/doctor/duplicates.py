"""Find tasks in several roots: users copy stores, and some products import tasks with their ids. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from sidecar.api.stored.doctor import Finding
from sidecar.api.stored.tasks import TaskInfo
from sidecar.history.doctor.remedies import finding
from sidecar.history.stores.contract import Store


def duplicates(rows: Sequence[TaskInfo], stores: Mapping[str, Store]) -> Iterator[Finding]:
    """Report each task that several stores hold, at the first one; `stores` is keyed by root path."""
    holders: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        holders[row.id].append(row.root)
    roots = [*stores]
    for task_id in sorted(holders):
        first, *others = sorted(holders[task_id], key=roots.index)
        if others:
            message = f"also in {', '.join(others)}"
            yield finding("duplicate", first, message, task_id, stores[first].location(task_id))
