"""Stored tasks as the wire shows them, and the parameters of `tasks/*`."""

from typing import Literal

import msgspec

from sidecar.api.base import Params, Record

TaskStatus = Literal["active", "completed", "failed", "abandoned", "unknown"]
Outcome = Literal[
    "completed", "failed", "waiting", "cancelled", "streaming", "delegated", "interrupted", "unknown"
]
Product = Literal["roo", "zoo", "kilo", "cline", "sidecar"]
Rules = Literal["structural", "guide"]
SortKey = Literal["createdAt", "lastActivity", "title", "tokens", "cost", "messages", "duration", "size"]

MAX_PAGE = 20_000
"""Largest `limit` of a list request, in rows."""


# A row holds no cycles. The garbage collector passes over it: a query makes 20,000 of them.


class Mode(Record, kw_only=True, gc=False):
    """The mode a task worked in: `current` is the slug, `name` what the product shows."""

    current: str | None = None
    name: str | None = None


class TokenUsage(Record, kw_only=True, gc=False):
    """Tokens as recorded and their cost in USD; `total` is input + output."""

    total: int | float | None = None
    cost: int | float | None = None
    input: int | float | None = None
    output: int | float | None = None
    cache_reads: int | float | None = None
    cache_writes: int | float | None = None


class Problem(Record, kw_only=True, gc=False):
    """Something wrong with a stored task: a stable code and a sentence for a person."""

    code: str
    message: str


class TaskInfo(Record, kw_only=True, gc=False):
    """One stored task.

    Times are integer ms since the epoch; None means unknown and is left out on the wire. Under the
    `guide` rules a time may be NaN (JavaScript's Invalid Date), which JSON shows as null.
    """

    id: str
    title: str
    status: TaskStatus
    created_at: int | float | None = None
    last_activity: int | float | None = None
    duration: int | float | None = None
    mode: Mode
    token_usage: TokenUsage | None = None
    message_count: int | None = None
    workspace_dir: str | None = None
    outcome: Outcome
    root: str
    product: Product
    model: str | None = None
    ui_message_count: int | None = None
    size_bytes: int
    parent_id: str | None = None
    root_id: str | None = None
    child_ids: list[str] | None = None
    favorite: bool | None = None
    problems: list[Problem]


class Provenance(Record, kw_only=True):
    """Where a field's value was read."""

    source: str
    note: str | None = None


class ToolMark(Record, kw_only=True):
    """The tool a stored message calls or answers."""

    name: str | None = None
    id: str | None = None
    status: str | None = None


class StoredMessage(Record, kw_only=True):
    """One message of a stored task, normalised over products; `index` is its place in the file."""

    index: int
    ts: int | float | None = None
    role: str
    kind: str
    text: str | None = None
    tool: ToolMark | None = None


class Sort(Params, kw_only=True):
    """An order: unknown values last, ties by id."""

    by: SortKey = "createdAt"
    order: Literal["asc", "desc"] = "desc"


class ListParams(Params, kw_only=True):
    """Parameters of `tasks/list`: `filter` is a substring, `query` the query language; both must hold."""

    filter: str | None = None
    query: str | None = None
    rules: Rules | None = None
    sort: Sort | None = None
    limit: int = 200
    cursor: str | None = None
    roots: list[str] | None = None
    work_done_token: str | int | None = None


class ListResult(Record, kw_only=True):
    """A page of stored tasks; `counts` cover the matched set."""

    items: list[TaskInfo]
    total: int
    matched: int
    counts: dict[str, int]
    next_cursor: str | None = None
    revision: int


class GetParams(Params, kw_only=True):
    """Parameters of `tasks/get`: an id or a unique prefix.

    Several roots may hold the same id. `root`, a path as in TaskInfo, says which one's task is meant;
    without it that is the first of them, in the order of the settings.
    """

    task_id: str
    root: str | None = None


class GetResult(Record, kw_only=True):
    """One stored task and where each of its fields was read."""

    task: TaskInfo
    provenance: dict[str, Provenance]
    revision: int


class MessagesParams(Params, kw_only=True):
    """Parameters of `tasks/messages`; `from` names the end paging starts at, `root` is as in `tasks/get`."""

    task_id: str
    root: str | None = None
    kind: Literal["ui", "api"] = "ui"
    cursor: str | None = None
    limit: int = 200
    from_: Literal["start", "end"] = msgspec.field(default="start", name="from")


class MessagesResult(Record, kw_only=True):
    """A page of one task's messages, always in file order."""

    messages: list[StoredMessage]
    next_cursor: str | None = None
    total: int
    revision: int


class RefreshParams(Params, kw_only=True):
    """Parameters of `tasks/refresh`: none."""


class RevisionResult(Record, kw_only=True):
    """A bare revision."""

    revision: int


class TasksDidChange(Record, kw_only=True):
    """Notification `tasks/didChange`."""

    revision: int
    added: list[str]
    changed: list[str]
    removed: list[str]
