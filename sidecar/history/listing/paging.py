"""Order of a list, and where its next page starts."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from sidecar.api.errors import InvalidParams
from sidecar.api.tasks import MAX_PAGE, Sort, SortKey, TaskInfo


class Mark(NamedTuple):
    """The last row of a page: its sort value (None: unknown), id, root, and place for want of an order."""

    value: Any
    task_id: str
    root: str
    place: int


def ordered(tasks: Sequence[TaskInfo], sort: Sort) -> list[TaskInfo]:
    """Sort rows; unknown values come last in either order, ties go by id, then root."""
    rows = sorted(tasks, key=lambda task: (task.id, task.root))
    values = {id(task): sort_value(task, sort.by) for task in rows}
    known = [task for task in rows if values[id(task)] is not None]
    known.sort(key=lambda task: values[id(task)], reverse=sort.order == "desc")
    return known + [task for task in rows if values[id(task)] is None]


def sort_value(task: TaskInfo, by: SortKey) -> Any:
    """The value a row is sorted by; None when unknown."""
    usage = task.token_usage
    value: Any
    match by:
        case "createdAt":
            value = task.created_at
        case "lastActivity":
            value = task.last_activity
        case "title":
            value = task.title.casefold()
        case "tokens":
            value = usage.total if usage else None
        case "cost":
            value = usage.cost if usage else None
        case "messages":
            value = task.message_count
        case "duration":
            value = task.duration
        case "size":
            value = task.size_bytes
    return None if isinstance(value, float) and math.isnan(value) else value


def start_after(rows: Sequence[TaskInfo], mark: Mark, sort: Sort | None) -> int:
    """Find where the next page starts; without `sort` (the guide's own order) by the row itself."""
    if sort is None:
        places = (place for place, row in enumerate(rows) if (row.id, row.root) == (mark.task_id, mark.root))
        return next(places, mark.place) + 1
    return next((place for place, row in enumerate(rows) if _is_after(row, mark, sort)), len(rows))


def _is_after(row: TaskInfo, mark: Mark, sort: Sort) -> bool:
    value = sort_value(row, sort.by)
    if (value is None) != (mark.value is None):
        return value is None
    if value == mark.value:
        return (row.id, row.root) > (mark.task_id, mark.root)
    return bool(value < mark.value if sort.order == "desc" else value > mark.value)


def check_limit(limit: int) -> None:
    """Refuse a `limit` outside 1 … 20,000 rows with InvalidParams."""
    if type(limit) is not int or not 1 <= limit <= MAX_PAGE:
        raise InvalidParams(f"limit: must be a whole number from 1 to {MAX_PAGE}")
