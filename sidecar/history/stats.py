"""Totals over stored tasks: by workspace, mode, product, day, and per tree of parents. Pure."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sidecar.api.stored.stats import GroupKey, StatsGroup, Totals, TreeTotals
from sidecar.api.stored.tasks import TaskInfo
from sidecar.history.model_shares import model_shares
from sidecar.history.stores.task_folders.structural.usage import number
from sidecar.history.stores.trees import leaves_first

Number = int | float
_USAGE: Final = ("total", "input", "output", "cache_reads", "cache_writes", "cost", "estimated_cost")
_Key = tuple[str, str]


def totals(tasks: Iterable[TaskInfo]) -> Totals:
    """Sum the tasks' own figures; a figure that no task has stays unknown."""
    tasks = list(tasks)
    known: dict[str, list[Number]] = {name: [] for name in _USAGE}
    for task in tasks:
        for name in _USAGE:
            value = number(getattr(task.token_usage, name, None))
            if value is not None:
                known[name].append(value)
    sums = {name: sum(values) if values else None for name, values in known.items()}
    return Totals(
        tasks=len(tasks),
        tasks_with_tokens=len(known["total"]),
        tasks_with_cost=len(known["cost"]),
        tasks_with_estimated_cost=len(known["estimated_cost"]) or None,
        tokens=sums["total"],
        input=sums["input"],
        output=sums["output"],
        cache_reads=sums["cache_reads"],
        cache_writes=sums["cache_writes"],
        cost=sums["cost"],
        estimated_cost=sums["estimated_cost"],
        messages=sum(task.message_count or 0 for task in tasks),
        size_bytes=sum(task.size_bytes for task in tasks),
    )


def without_copies(tasks: Iterable[TaskInfo], roots: Sequence[str]) -> list[TaskInfo]:
    """Keep one of the tasks with the same id: the one used last or, if equal, that of the first root."""
    kept: dict[str, TaskInfo] = {}
    for task in sorted(tasks, key=lambda task: roots.index(task.root)):
        known = kept.get(task.id)
        if known is None or (number(task.last_activity) or 0) > (number(known.last_activity) or 0):
            kept[task.id] = task
    return list(kept.values())


def grouped(tasks: Iterable[TaskInfo], by: GroupKey) -> list[StatsGroup]:
    """Sum the tasks that share a value: most expensive group first, days newest first, unknown last.

    A task that used several models is in the group of each, with what that model used.
    """
    members: defaultdict[str | None, list[TaskInfo]] = defaultdict(list)
    keyed = model_shares(tasks) if by == "model" else ((_KEYS[by](task), task) for task in tasks)
    for key, task in keyed:
        members[key].append(task)
    groups = [StatsGroup(key=key, totals=totals(rows)) for key, rows in members.items()]
    if by == "day":
        groups.sort(key=lambda group: group.key or "", reverse=True)
    else:
        groups.sort(key=lambda group: (-(group.totals.cost or 0), -group.totals.tasks, group.key or ""))
    return sorted(groups, key=lambda group: group.key is None)


def trees(tasks: Sequence[TaskInfo]) -> list[TreeTotals]:
    """Sum each parent with all its descendants in linear time, most expensive tree first.

    A child names its parent, or the parent names the child; a child has one parent. Missing parents are
    ignored, and members of a cycle do not count towards each other.
    """
    rows = {(task.root, task.id): task for task in tasks}
    parents = _parents(rows)
    own = {key: totals([rows[key]]) for key in parents.keys() | set(parents.values())}
    tree = dict(own)
    for key in leaves_first(parents):
        if key in parents:
            tree[parents[key]] = _added(tree[parents[key]], tree[key])
    found = [
        TreeTotals(task_id=key[1], root=key[0], title=rows[key].title, own=own[key], tree=tree[key])
        for key in dict.fromkeys(parents.values())
    ]
    return sorted(found, key=lambda each: (-(each.tree.cost or 0), each.task_id))


def _parents(rows: dict[_Key, TaskInfo]) -> dict[_Key, _Key]:
    """Return the parent of each child if both exist."""
    parents: dict[_Key, _Key] = {}
    for key, task in rows.items():
        for child in ((task.root, name) for name in task.child_ids or ()):
            if child in rows and child != key:
                parents.setdefault(child, key)
    for key, task in rows.items():
        named = (task.root, task.parent_id) if task.parent_id else None
        if named is not None and named in rows and named != key:
            parents[key] = named
    return parents


def _added(one: Totals, other: Totals) -> Totals:
    sums: dict[str, Any] = {}
    for name in Totals.__struct_fields__:
        values = [value for value in (getattr(one, name), getattr(other, name)) if value is not None]
        sums[name] = sum(values) if values else None
    return Totals(**sums)


def _day(task: TaskInfo) -> str | None:
    """Return the local date of the last activity."""
    active = number(task.last_activity)
    if active is None:
        return None
    try:
        return datetime.fromtimestamp(active / 1000).date().isoformat()
    except (OverflowError, ValueError, OSError):
        return None


_KEYS: Final[Mapping[GroupKey, Callable[[TaskInfo], str | None]]] = {
    "workspace": lambda task: task.workspace_dir,
    "mode": lambda task: task.mode.current,
    "product": lambda task: task.product,
    "day": _day,
    "status": lambda task: task.status,
}
