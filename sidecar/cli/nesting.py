"""The order of runs in a list that shows which run launched which."""

from collections.abc import Iterator, Sequence

from sidecar.api.runs.async_tasks import AsyncTask


def nested(tasks: Sequence[AsyncTask]) -> Iterator[tuple[int, AsyncTask]]:
    """Yield each run with its depth in the list, children after their parent.

    Runs of one parent stay in the given order. A run whose parent is not in the list has depth 0.
    """
    listed = {task.id for task in tasks}
    children: dict[str | None, list[AsyncTask]] = {}
    for task in tasks:
        parent = task.parent_task_id if task.parent_task_id in listed else None
        children.setdefault(parent, []).append(task)
    waiting = [(0, task) for task in reversed(children.get(None, []))]
    while waiting:
        depth, task = waiting.pop()
        yield depth, task
        waiting += [(depth + 1, child) for child in reversed(children.get(task.id, []))]
