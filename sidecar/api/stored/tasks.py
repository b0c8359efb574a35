"""Stored tasks as the wire shows them, and the parameters of `tasks/*`."""

from typing import Annotated, Literal

import msgspec

from sidecar.api.base import Params, Record

TaskStatus = Literal["active", "completed", "failed", "abandoned", "unknown"]
Outcome = Literal[
    "completed", "failed", "waiting", "cancelled", "streaming", "delegated", "interrupted", "unknown"
]
Product = Literal[
    "roo",
    "zoo",
    "kilo",
    "cline",
    "sidecar",
    "claude",
    "codex",
    "opencode",
    "gemini",
    "copilot",
    "qwen",
]
Rules = Literal["structural", "guide"]
SortKey = Literal["createdAt", "lastActivity", "title", "tokens", "cost", "messages", "duration", "size"]

MAX_PAGE = 20_000
"""Largest `limit` of a list request, in rows."""
Limit = Annotated[int, msgspec.Meta(ge=1, le=MAX_PAGE)]


# Rows contain no cycles. The garbage collector skips them: a query creates 20,000.


class Mode(Record, kw_only=True, gc=False):
    """The mode a task worked in: `current` is the slug, `name` what the product shows."""

    current: str | None = None
    """The slug of the mode, such as `code`."""
    name: str | None = None
    """The name that the product displays."""


class SubtreeUsage(Record, kw_only=True, gc=False):
    """Tokens and cost of a session and of all sessions that descend from it."""

    total: int | float | None = None
    """`input` + `output`, in tokens."""
    cost: int | float | None = None
    """Recorded cost in USD. Absent unless every session that used tokens recorded one."""
    input: int | float | None = None
    """Input tokens, without those of a prompt cache."""
    output: int | float | None = None
    """Output tokens, including reasoning."""
    cache_reads: int | float | None = None
    """Tokens read from a prompt cache."""
    cache_writes: int | float | None = None
    """Tokens written to a prompt cache."""


class ModelUsage(Record, kw_only=True, gc=False):
    """What the answers of one model used, as in `TokenUsage`."""

    model: str
    """The name of the model as recorded."""
    answers: int
    """How many answers used them."""
    input: int | float | None = None
    """Input tokens, without those of a prompt cache."""
    output: int | float | None = None
    """Output tokens, including reasoning."""
    cache_reads: int | float | None = None
    """Tokens read from a prompt cache."""
    cache_writes: int | float | None = None
    """Tokens written to a prompt cache."""
    long_cache_writes: int | float | None = None
    """Those of `cacheWrites` that the cache holds for an hour, which cost more. Absent without any."""
    cost: int | float | None = None
    """Recorded cost in USD. Absent unless the store records it with each answer."""
    estimated_cost: int | float | None = None
    """The part of the task's estimated cost in USD. Never added to `cost`."""


class TokenUsage(Record, kw_only=True, gc=False):
    """Tokens as recorded and their cost in USD; `total` is input + output.

    In the stores of other agents, a task's own figures: each answer of a model counts once, in the session
    that wrote it. There, and in runs, `input` excludes what was read from or written to a prompt cache and
    `output` includes reasoning. In `tasks/` folders of other products, both are as recorded.
    """

    total: int | float | None = None
    """`input` + `output`, in tokens."""
    cost: int | float | None = None
    """Recorded cost in USD."""
    input: int | float | None = None
    """Input tokens as recorded."""
    output: int | float | None = None
    """Output tokens as recorded."""
    cache_reads: int | float | None = None
    """Tokens read from a prompt cache."""
    cache_writes: int | float | None = None
    """Tokens written to a prompt cache."""
    long_cache_writes: int | float | None = None
    """Those of `cacheWrites` that the cache holds for an hour, which cost more. Absent without any."""
    estimated_cost: int | float | None = None
    """An estimate in USD from a price table, where no cost is recorded. Never added to `cost`."""
    by_model: list[ModelUsage] | None = None
    """The same tokens by model. Absent unless several models were used and all are known."""
    with_children: SubtreeUsage | None = None
    """The task together with all its descendants. Absent without child sessions."""


class Problem(Record, kw_only=True, gc=False):
    """Something wrong with a stored task: a stable code and a sentence for a person."""

    code: str
    """A stable code; docs/storage.md explains each."""
    message: str
    """One sentence for a person."""


class TaskInfo(Record, kw_only=True, gc=False):
    """One stored task.

    Times are integer ms since the epoch; None means unknown and is left out on the wire. Under the
    `guide` rules a time may be NaN (JavaScript's Invalid Date), which JSON shows as null.
    """

    id: str
    """The name of the task's folder, or the ID of the session in the store of another agent."""
    title: str
    """The full title on one line."""
    status: TaskStatus
    """The status of the task."""
    created_at: int | float | None = None
    """When the task was created, in ms since the epoch."""
    last_activity: int | float | None = None
    """Its newest message or update, in ms since the epoch."""
    duration: int | float | None = None
    """`lastActivity` − `createdAt`, in ms."""
    mode: Mode
    """The mode that the task worked in last."""
    token_usage: TokenUsage | None = None
    """Tokens and cost. Absent when the task recorded none."""
    message_count: int | None = None
    """Messages in the API history file. In the stores of other agents, prompts and answers of the model."""
    workspace_dir: str | None = None
    """The folder that the task worked in."""
    outcome: Outcome
    """How the task ended, in more detail than `status`."""
    root: str
    """The absolute path of its root."""
    product: Product
    """The program that wrote the task."""
    model: str | None = None
    """The model that answered last."""
    ui_message_count: int | None = None
    """Messages in the UI file."""
    size_bytes: int
    """Size of its message files, or of its rows in a database, in bytes."""
    parent_id: str | None = None
    """The task that started this one."""
    root_id: str | None = None
    """The topmost task of its tree."""
    child_ids: list[str] | None = None
    """The tasks that this one started."""
    favorite: bool | None = None
    """Whether the user marked it as a favorite."""
    kept: bool | None = None
    """Whether the sidecar keeps a copy of the session, which stays listed after its product deleted it."""
    session_task_id: str | None = None
    """The session in the store of the agent that a run of the sidecar launched."""
    problems: list[Problem]
    """What is wrong with its files. Empty if nothing is."""


class Provenance(Record, kw_only=True):
    """Where a field's value was read."""

    source: str
    """The file or record that holds the value."""
    note: str | None = None
    """How the value was derived, if it was not read directly."""


class FileEdit(Record, kw_only=True):
    """What a call changed in a file: a part of the file, or all of a new one (`old_text` absent)."""

    path: str
    """The path as the task recorded it."""
    old_text: str | None = None
    """The text before. Absent for a new file."""
    new_text: str
    """The text after."""
    deleted: bool | None = None
    """Whether the file was deleted: the call contains neither text. Absent otherwise."""


class ToolMark(Record, kw_only=True):
    """The tool a stored message calls or answers."""

    name: str | None = None
    """The name of the tool."""
    id: str | None = None
    """The ID of the call."""
    status: str | None = None
    """`ok` or `error`, for a result."""
    edits: list[FileEdit] | None = None
    """The changes of files in a call, if it contains them. Texts over 256 KiB are left out."""


class StoredMessage(Record, kw_only=True):
    """One message of a stored task, normalized across products; `index` is its place in the file."""

    index: int
    """The position in the file, from 0."""
    ts: int | float | None = None
    """When it was written, in ms since the epoch."""
    role: str
    """`user`, `assistant` or `system`."""
    kind: str
    """The kind of message, as the product names it."""
    text: str | None = None
    """Readable text of the message."""
    tool: ToolMark | None = None
    """The tool that the message calls or answers."""


class Sort(Params, kw_only=True):
    """An order: unknown values last, ties by ID."""

    by: SortKey = "createdAt"
    """The field to sort by."""
    order: Literal["asc", "desc"] = "desc"
    """`asc` or `desc`. Unknown values come last in both."""


class ListParams(Params, kw_only=True):
    """Parameters of `tasks/list`: `filter` is a substring, `query` the query language; both must match."""

    filter: str | None = None
    """A case-insensitive substring of ID, title, mode, status or workspace."""
    query: str | None = None
    """An expression of the query language, such as `status:failed cost>1`."""
    rules: Rules | None = None
    """The rule set. Default: the setting `history.rules`."""
    sort: Sort | None = None
    """The order. Default: newest `createdAt` first; under `guide` the guide's own order."""
    limit: int = 200
    """The size of a page, at most 20,000 rows."""
    cursor: str | None = None
    roots: list[str] | None = None
    children: bool = False
    """Whether to include child sessions, such as those of subagents. A query with `parent:` includes them."""
    work_done_token: str | int | None = None


class UnlistedFolder(Record, kw_only=True):
    """A folder or database of a store that cannot be listed."""

    root: str
    """The root of the store."""
    path: str
    """The folder or database."""
    message: str
    """Why it cannot be listed."""


class ListResult(Record, kw_only=True):
    """A page of stored tasks; `counts` cover the matched set."""

    items: list[TaskInfo]
    """The rows of this page."""
    total: int
    """Stored tasks in all roots, without child sessions unless they are included."""
    matched: int
    """Tasks that match filter and query."""
    counts: dict[str, int]
    """Matched tasks by status."""
    next_cursor: str | None = None
    unlisted: list[UnlistedFolder] | None = None
    """Folders and databases that cannot be listed: their sessions are missing. Absent if there are none."""
    revision: int


class GetParams(Params, kw_only=True):
    """Parameters of `tasks/get`: an ID or a unique prefix.

    Several roots may hold the same ID. `root`, a path as in TaskInfo, chooses one;
    the default is the first of them, in the order of the settings.
    """

    task_id: str
    root: str | None = None


class GetResult(Record, kw_only=True):
    """One stored task and where each of its fields was read."""

    task: TaskInfo
    """The task."""
    provenance: dict[str, Provenance]
    """Where each value comes from, by member name."""
    revision: int


class MessagesParams(Params, kw_only=True):
    """Parameters of `tasks/messages`; `from` names the end paging starts at, `root` is as in `tasks/get`."""

    task_id: str
    root: str | None = None
    kind: Literal["ui", "api"] = "ui"
    """`ui`: what the user saw. `api`: what the model received."""
    cursor: str | None = None
    limit: int = 200
    """The size of a page, at most 20,000 messages."""
    from_: Literal["start", "end"] = msgspec.field(default="start", name="from")
    """Which end paging starts at. Pages are always in file order."""


class MessagesResult(Record, kw_only=True):
    """A page of one task's messages, always in file order."""

    messages: list[StoredMessage]
    """One page of messages."""
    next_cursor: str | None = None
    total: int
    """Messages in the file."""
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
    """Ids of new tasks."""
    changed: list[str]
    """Ids of tasks whose row changed."""
    removed: list[str]
    """Ids of tasks that no longer exist."""
