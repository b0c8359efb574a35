"""Sum what sessions used together with their child sessions, such as those of subagents. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import msgspec

from sidecar.api.stored.tasks import SubtreeUsage, TaskInfo, TokenUsage
from sidecar.history.stores.index_row import IndexRow, info_of, with_info
from sidecar.history.stores.usage_sums import UsageSum, subtree_sums

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
        self._rows = {(row.root, row.id): row for row in rows if row.body}
        self._children: defaultdict[_Key, list[IndexRow]] = defaultdict(list)
        for row in self._rows.values():
            if row.child_of:
                self._children[row.root, row.child_of].append(row)

    def __bool__(self) -> bool:
        return bool(self._children)

    def shown(self, row: IndexRow) -> IndexRow:
        """Return a row with its children; the row itself if it has none."""
        key = row.root, row.id
        if key not in self._children or not row.body:
            return row
        return with_info(row, self._completed(info_of(row, "structural", 0), self._sums[key].usage()))

    def completed(self, info: TaskInfo) -> TaskInfo:
        """Return a task with the IDs of its children, and what they used together with it."""
        if (info.root, info.id) not in self._children:
            return info
        own = info.token_usage or TokenUsage()
        return self._completed(info, subtree_usage([own, *map(_usage_of, self._descendants(info))]))

    def _completed(self, info: TaskInfo, used: SubtreeUsage) -> TaskInfo:
        usage = msgspec.structs.replace(info.token_usage or TokenUsage(), with_children=used)
        children = sorted(self._children[info.root, info.id], key=lambda row: (row.created_at or 0, row.id))
        return msgspec.structs.replace(info, token_usage=usage, child_ids=[row.id for row in children])

    @cached_property
    def _sums(self) -> Mapping[_Key, UsageSum]:
        """Sum all parents at once: one by one, a chain of children would take quadratic time."""
        parents = {
            (row.root, row.id): parent
            for parent, children in self._children.items()
            if parent in self._rows
            for row in children
        }
        members = parents.keys() | {*parents.values()}
        return subtree_sums(parents, {key: _usage_of(self._rows[key]) for key in members})

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


def subtree_usage(used: Iterable[TokenUsage]) -> SubtreeUsage:
    """Sum usages. The cost is known only if every usage with tokens has one."""
    whole = UsageSum()
    for each in used:
        whole.add(each)
    return whole.usage()


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
