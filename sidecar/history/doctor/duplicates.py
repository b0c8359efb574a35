"""The same task in several roots: stores are copied, and some products import tasks with their ids. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from sidecar.api.doctor import Finding
from sidecar.api.tasks import TaskInfo
from sidecar.history.doctor.remedies import finding
from sidecar.history.stored.roots import task_folder


def duplicates(rows: Sequence[TaskInfo], roots: Sequence[str]) -> Iterator[Finding]:
    """Name each task that several of `roots` hold, at the first of them."""
    holders: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        holders[row.id].append(row.root)
    for task_id in sorted(holders):
        first, *others = sorted(holders[task_id], key=roots.index)
        if others:
            told = f"also in {', '.join(others)}"
            yield finding("duplicate", first, told, task_id, task_folder(first, task_id))
