"""Compile nodes into a predicate over rows."""

import operator
from collections.abc import Callable, Iterator, Mapping, Set
from typing import Final

from sidecar.api.stored.tasks import TaskInfo
from sidecar.history.query.fields import STATUSES
from sidecar.history.query.nodes import Activity, All, AnyOf, Extent, Node, Not, Number, Text, Words

Predicate = Callable[[TaskInfo], bool]
TaskKey = tuple[str, str]
"""Root and ID of a task."""
Touching = Mapping[str, Set[TaskKey]]
"""The tasks that touched a matching file, by value of `file:`."""

_LEAST_ID: Final = 6
"""How many of the first characters of an ID a free term needs at least to find it."""

_COMPARE: Final[dict[str, Callable[[float, float], bool]]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
}


def compile_query(node: Node, now: int, touching: Touching | None = None) -> Predicate:
    """Return the predicate of a query; ages count back from `now` (ms).

    `touching` has an entry for each of `needed_files(node)`. Comparisons with an unknown value are false.
    """
    return _compile(node, now, touching or {})


def needed_files(node: Node) -> set[str]:
    """Return the values of `file:` in the query."""
    match node:
        case Words("file", values):
            return set(values)
        case Not(part):
            return needed_files(part)
        case All(parts) | AnyOf(parts):
            return set().union(*map(needed_files, parts))
    return set()


def asks_for_children(node: Node) -> bool:
    """Return whether a query selects tasks by their parent."""
    match node:
        case Words("parent"):
            return True
        case Not(part):
            return asks_for_children(part)
        case All(parts) | AnyOf(parts):
            return any(map(asks_for_children, parts))
    return False


def _compile(node: Node, now: int, touching: Touching) -> Predicate:
    match node:
        case Text(text):
            return lambda task: (
                _fits_id(task, text) or any(text in value.casefold() for value in _texts(task))
            )
        case Words("file", values):
            keys = set().union(*(touching[value] for value in values))
            return lambda task: (task.root, task.id) in keys
        case Words(field, values):
            fits = _FITS[field]
            return lambda task: any(fits(task, value) for value in values)
        case Number(field, comparison, numbers):
            return _number(field, comparison, numbers)
        case Activity(comparison, value, is_age):
            return _activity(comparison, now - value if is_age else value)
        case Extent():
            return _extent(node, now)
        case Not(part):
            inner = _compile(part, now, touching)
            return lambda task: not inner(task)
        case All(parts):
            every = [_compile(part, now, touching) for part in parts]
            return lambda task: all(keeps(task) for keeps in every)
        case AnyOf(parts):
            some = [_compile(part, now, touching) for part in parts]
            return lambda task: any(keeps(task) for keeps in some)


def _number(field: str, comparison: str, numbers: tuple[float, ...]) -> Predicate:
    read, compare = _NUMBERS[field], _COMPARE[comparison]

    def keeps(task: TaskInfo) -> bool:
        value = read(task)
        return value is not None and any(compare(value, number) for number in numbers)

    return keeps


def _activity(comparison: str, moment: int) -> Predicate:
    compare = _COMPARE[comparison]
    return lambda task: task.last_activity is not None and compare(task.last_activity, moment)


def _extent(node: Extent, now: int) -> Predicate:
    read, first, last = _TIMES[node.field], node.first, node.last
    fits: Callable[[float], bool] = {
        ">": lambda value: value > last,
        ">=": lambda value: value >= first,
        "<": lambda value: value < first,
        "<=": lambda value: value <= last,
        "=": lambda value: first <= value <= last,
    }[node.comparison]

    def keeps(task: TaskInfo) -> bool:
        value = read(task)
        return value is not None and fits(now - value if node.is_age else value)

    return keeps


def _texts(task: TaskInfo) -> Iterator[str]:
    yield task.title
    for value in (task.mode.current, task.mode.name, task.workspace_dir):
        if value:
            yield value


def _fits_id(task: TaskInfo, text: str) -> bool:
    """Return whether a free term is an ID or its start: a few letters occur in most IDs by chance."""
    start = task.id.casefold()
    return text == start or (len(text) >= _LEAST_ID and start.startswith(text))


def _fits_status(task: TaskInfo, word: str) -> bool:
    return word == (task.status if word in STATUSES else task.outcome)


def _fits_mode(task: TaskInfo, word: str) -> bool:
    return any(value and value.casefold() == word for value in (task.mode.current, task.mode.name))


def _fits_workspace(task: TaskInfo, part: str) -> bool:
    return part in (task.workspace_dir or "").casefold().replace("\\", "/")


def _fits_parent(task: TaskInfo, start: str) -> bool:
    return (task.parent_id or "").casefold().startswith(start)


_FITS: Final[dict[str, Callable[[TaskInfo, str], bool]]] = {
    "status": _fits_status,
    "outcome": lambda task, word: task.outcome == word,
    "title": lambda task, part: part in task.title.casefold(),
    "id": lambda task, start: task.id.casefold().startswith(start),
    "root": lambda task, part: part in task.root.casefold().replace("\\", "/"),
    "mode": _fits_mode,
    "product": lambda task, word: task.product == word,
    "workspace": _fits_workspace,
    "model": lambda task, part: part in (task.model or "").casefold(),
    "parent": _fits_parent,
    "kept": lambda task, word: bool(task.kept) is (word == "true"),
}
_TIMES: Final[dict[str, Callable[[TaskInfo], float | None]]] = {
    "created": lambda task: task.created_at,
    "active": lambda task: task.last_activity,
    "duration": lambda task: task.duration,
}
_NUMBERS: Final[dict[str, Callable[[TaskInfo], float | None]]] = {
    "cost": lambda task: task.token_usage.cost if task.token_usage else None,
    "estimate": lambda task: task.token_usage.estimated_cost if task.token_usage else None,
    "tokens": lambda task: task.token_usage.total if task.token_usage else None,
    "messages": lambda task: task.message_count,
    "size": lambda task: task.size_bytes,
}
