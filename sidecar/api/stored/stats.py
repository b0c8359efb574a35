"""Totals over stored tasks, and the disk space they take."""

from typing import Literal

import msgspec

from sidecar.api.base import Params, Record
from sidecar.api.stored.tasks import Product, Rules

GroupKey = Literal["workspace", "mode", "product", "day", "model", "status"]
GROUPS: tuple[GroupKey, ...] = ("workspace", "mode", "product", "day")


class Totals(Record, kw_only=True):
    """Sums over tasks, each task counted with its own figures.

    A sum is absent when no task knows the value; `tasks_with_tokens` and `tasks_with_cost` say how many do.
    """

    tasks: int
    """Tasks counted."""
    tasks_with_tokens: int
    """Tasks with recorded tokens."""
    tasks_with_cost: int
    """Tasks with a recorded cost."""
    tasks_with_estimated_cost: int | None = None
    """Tasks whose cost is estimated. Absent if there are none."""
    tokens: int | float | None = None
    """`input` + `output`."""
    input: int | float | None = None
    """Input tokens."""
    output: int | float | None = None
    """Output tokens."""
    cache_reads: int | float | None = None
    """Tokens read from a prompt cache."""
    cache_writes: int | float | None = None
    """Tokens written to a prompt cache."""
    cost: int | float | None = None
    """Recorded cost in USD."""
    estimated_cost: int | float | None = None
    """Estimated cost in USD of the tasks without a recorded one. Never part of `cost`."""
    messages: int
    """Messages."""
    size_bytes: int
    """Size of the message files, in bytes."""


class StatsGroup(Record, kw_only=True):
    """The totals of the tasks that share a value; `key` is absent where it is not known."""

    key: str | None = None
    """The shared value. Absent for tasks without one."""
    totals: Totals
    """Their totals."""


class TreeTotals(Record, kw_only=True):
    """A parent's own figures and those of its whole tree, itself included; both say how many tasks."""

    task_id: str
    """The ID of the parent."""
    root: str
    """The absolute path of its root."""
    title: str
    """Its title."""
    own: Totals
    """Its own figures."""
    tree: Totals
    """The figures of its whole tree."""


class DiskUse(Record, kw_only=True):
    """Bytes on disk under the own root: `message_bytes` of `task_bytes` are the two message files."""

    root: str
    """The own root."""
    task_bytes: int
    """Bytes below `tasks/`."""
    message_bytes: int
    """Bytes of message files among them."""
    archive_bytes: int
    """Bytes in the archive."""
    trash_bytes: int
    """Bytes in the trash."""


class DueDeletion(Record, kw_only=True):
    """Sessions of which there is no kept copy, and that their own product will delete soon."""

    tasks: int
    """How many there are, without child sessions."""
    within_days: int
    """The number of days within which all of them will be deleted."""
    first_at: int
    """When the first one is due, in ms since the epoch; it may be overdue."""
    products: list[Product]
    """Whose sessions they are: values for the setting `history.keep`."""


class StatsParams(Params, kw_only=True):
    """Parameters of `tasks/stats`: which tasks, as `tasks/list` takes them, and what to group them by.

    With `disk`, the disk use of the own root is measured too.
    """

    filter: str | None = None
    """As in `tasks/list`."""
    query: str | None = None
    """As in `tasks/list`."""
    rules: Rules | None = None
    """The rule set. Default: the setting `history.rules`."""
    roots: list[str] | None = None
    group_by: list[GroupKey] = msgspec.field(default_factory=lambda: list(GROUPS))
    """What to group by."""
    disk: bool = False
    """Also measure the disk use of the own root."""
    work_done_token: str | int | None = None


class StatsResult(Record, kw_only=True):
    """Totals of the matched tasks; groups are sorted by cost, days by date, both in descending order.

    Several roots may hold copies of a task, with the same ID. The totals count the copy that was used last;
    `copies` says how many of the `matched` are others.
    """

    matched: int
    """Tasks that match."""
    copies: int
    """Tasks that were left out because another root has them too."""
    totals: Totals
    """Totals of all matched tasks."""
    groups: dict[str, list[StatsGroup]]
    """Totals by group and key.

    A task that used several models counts in the group of each, with the tokens and the cost of that model;
    its messages and its size count for the model that it used last. A cost that is recorded for the whole
    task only is in the group without a key.
    """
    parents: list[TreeTotals]
    """Totals of task trees."""
    due_deletion: DueDeletion | None = None
    """Sessions in the roots that will be deleted soon, even if they do not match. Absent without any."""
    disk: DiskUse | None = None
    """Disk use of the own root, if asked for."""
    prices: str | None = None
    """The price table of the estimates and its version. Absent without estimates."""
    revision: int
