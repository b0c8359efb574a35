"""Sum what sessions used together with their child sessions, such as those of subagents. Pure."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from sidecar.api.stored.tasks import SubtreeUsage, TaskInfo, TokenUsage
from sidecar.history.stores.index_row import IndexRow, info_of, with_info

_FIGURES: Final = SubtreeUsage.__struct_fields__
_TOKENS: Final = tuple(name for name in _FIGURES if name != "cost")
_Key = tuple[str, str]


def with_subtrees(rows: Sequence[IndexRow]) -> Sequence[IndexRow]:
    """Return the rows of some roots; those with child sessions show them and the usage of all of them."""
    children = ChildSessions(rows)
    if not children:
        return rows
    return [children.shown(row) for row in rows]


class ChildSessions:
    """The child sessions among some rows under the structural rules."""

    def __init__(self, rows: Iterable[IndexRow]) -> None:
        listed = [row for row in rows if row.body]
        self._children: defaultdict[_Key, list[IndexRow]] = defaultdict(list)
        for row in listed:
            if row.child_of:
                self._children[row.root, row.child_of].append(row)

    def __bool__(self) -> bool:
        return bool(self._children)

    def shown(self, row: IndexRow) -> IndexRow:
        """Return a row with its children; the row itself if it has none."""
        if (row.root, row.id) not in self._children or not row.body:
            return row
        return with_info(row, self.completed(info_of(row, "structural", 0)))

    def completed(self, info: TaskInfo) -> TaskInfo:
        """Return a task with the IDs of its children, and what they used together with it."""
        children = self._children.get((info.root, info.id))
        if not children:
            return info
        own = info.token_usage or TokenUsage()
        used = [own, *(_usage_of(row) for row in self._descendants(info))]
        usage = msgspec.structs.replace(own, with_children=subtree_usage(used))
        ids = [row.id for row in sorted(children, key=lambda row: (row.created_at or 0, row.id))]
        return msgspec.structs.replace(info, token_usage=usage, child_ids=ids)

    def _descendants(self, info: TaskInfo) -> Iterator[IndexRow]:
        """Iterate over all descendants once each, even if sessions name each other as parents."""
        seen = {(info.root, info.id)}
        waiting = [*seen]
        while waiting:
            for row in self._children.get(waiting.pop(), ()):
                if (key := (row.root, row.id)) not in seen:
                    seen.add(key)
                    waiting.append(key)
                    yield row


def subtree_usage(used: Sequence[TokenUsage]) -> SubtreeUsage:
    """Sum usages. The cost is known only if every usage with tokens has one."""
    sums = {name: _sum(used, name) for name in _TOKENS}
    known = all(each.cost is not None for each in used if each.total is not None)
    return SubtreeUsage(**sums, cost=_sum(used, "cost") if known else None)


def _sum(used: Sequence[TokenUsage], name: str) -> int | float | None:
    """Sum a figure, in a way that does not depend on the order of the sessions."""
    values = [value for each in used if (value := getattr(each, name)) is not None]
    if any(isinstance(value, float) for value in values):
        return math.fsum(values)
    return sum(values) if values else None


def _usage_of(row: IndexRow) -> TokenUsage:
    return info_of(row, "structural", 0).token_usage or TokenUsage()


def descendants(rows: Mapping[str, IndexRow], task_id: str) -> list[str]:
    """Return the IDs of all sessions in `rows` that descend from one."""
    children: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows.values():
        if row.child_of:
            children[row.child_of].append(row.id)
    found, waiting = {task_id}, [task_id]
    while waiting:
        new = [name for name in children[waiting.pop()] if name not in found]
        found.update(new)
        waiting += new
    return [*found - {task_id}]


def ancestors(row: IndexRow, rows: Mapping[str, IndexRow]) -> Iterator[str]:
    """Iterate over the IDs of the sessions that a child session of `rows` descends from."""
    seen = {row.id}
    while row.child_of and row.child_of not in seen and (parent := rows.get(row.child_of)) is not None:
        seen.add(parent.id)
        yield parent.id
        row = parent
