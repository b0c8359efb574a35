"""What is known across stored tasks: totals, files touched, search, the doctor's report; and housekeeping."""

from typing import Annotated, Literal

import msgspec

from sidecar.api.base import Params, Record
from sidecar.api.tasks import MAX_PAGE, Product, Rules, TaskStatus

FileAction = Literal["read", "edited", "created", "deleted", "mentioned"]
ExportFormat = Literal["markdown", "json"]
GroupKey = Literal["workspace", "mode", "product", "day", "model", "status"]
GROUPS: tuple[GroupKey, ...] = ("workspace", "mode", "product", "day")
Shelf = Literal["archive", "trash"]
Limit = Annotated[int, msgspec.Meta(ge=1, le=MAX_PAGE)]


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
    """The id of the parent."""
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


class StatsParams(Params, kw_only=True):
    """Parameters of `tasks/stats`: which tasks, as `tasks/list` takes them, and what to group them by.

    With `disk` the own root's use of the disk is measured too.
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
    """Totals of the matched tasks; groups are sorted by cost, days by date, both downwards.

    Several roots may hold copies of a task, with the same id. The totals count the copy that was used last;
    `copies` says how many of the `matched` are others.
    """

    matched: int
    """Tasks that match."""
    copies: int
    """Tasks that were left out because another root has them too."""
    totals: Totals
    """Totals of all matched tasks."""
    groups: dict[str, list[StatsGroup]]
    """Totals by group and key."""
    parents: list[TreeTotals]
    """Totals of task trees."""
    disk: DiskUse | None = None
    """Disk use of the own root, if asked for."""
    revision: int


class TouchedFile(Record, kw_only=True):
    """A file a task worked with; `path` as the task recorded it, with slashes.

    `additions` and `deletions` count the lines of all its known changes; they are absent where none is known,
    as in tasks of other products, binary files and deletions without a diff. A moved file counts as edited.
    """

    path: str
    """The path as the task recorded it, with forward slashes."""
    actions: list[FileAction]
    """What was done with the file."""
    additions: int | None = None
    """Added lines. Absent if unknown."""
    deletions: int | None = None
    """Deleted lines. Absent if unknown."""
    last_at: int | float | None = None
    """When the file was last used, in ms since the epoch."""


class FilesParams(Params, kw_only=True):
    """Parameters of `tasks/files`: an id or a unique prefix, and the `root` as in `tasks/get`."""

    task_id: str
    root: str | None = None


class FilesResult(Record, kw_only=True):
    """The files a task touched, by path."""

    task_id: str
    """The whole id of the task."""
    files: list[TouchedFile]
    """The files, by path."""
    revision: int


class ByFileParams(Params, kw_only=True):
    """Parameters of `tasks/byFile`: a path, absolute or the end of one."""

    path: str
    """An absolute path, or the end of one."""
    limit: Limit = 200
    """The most tasks in the answer."""
    roots: list[str] | None = None
    work_done_token: str | int | None = None


class FileTask(Record, kw_only=True):
    """A task that touched the file asked for."""

    task_id: str
    """The id of the task."""
    root: str
    """The absolute path of its root."""
    title: str
    """Its title."""
    status: TaskStatus
    """Its status."""
    last_activity: int | float | None = None
    """Its newest message, in ms since the epoch."""
    file: TouchedFile
    """What it did with the file."""


class ByFileResult(Record, kw_only=True):
    """The tasks that touched a file, the last to do so first; `matched` counts them all."""

    items: list[FileTask]
    """Tasks that touched the file, most recent first."""
    matched: int
    """How many there are in all."""
    revision: int


class SearchParams(Params, kw_only=True):
    """Parameters of `tasks/search`: words that must all occur, "phrases", and starts of words as `sta*`."""

    text: str
    """Words, "phrases" and prefixes such as `upload*`. All must occur."""
    query: str | None = None
    """Search only tasks that match this query."""
    limit: Limit = 50
    """The most hits in the answer."""
    roots: list[str] | None = None
    work_done_token: str | int | None = None


class SearchHit(Record, kw_only=True):
    """A message that holds the words; `index` is its place in `tasks/messages` of this `kind`.

    `snippet` shows the words between U+0002 and U+0003.
    """

    task_id: str
    """The id of the task."""
    root: str
    """The absolute path of its root."""
    title: str
    """Its title."""
    kind: Literal["ui", "api"]
    """Which file holds the message."""
    index: int
    """The message's `index` in `tasks/messages` of this `kind`."""
    role: str
    """Who wrote the message."""
    ts: int | float | None = None
    """When it was written, in ms since the epoch."""
    snippet: str
    """The text around the match, with matches between U+0002 and U+0003."""


class SearchResult(Record, kw_only=True):
    """Hits, the best first. While the index is being built `indexed` is below `total`, in tasks."""

    hits: list[SearchHit]
    """Messages that match, best first."""
    indexed: int
    """Tasks that are indexed so far."""
    total: int
    """Tasks to index. Search again when `indexed` is lower."""
    revision: int


class ExportParams(Params, kw_only=True):
    """Parameters of `tasks/export`; `redact` takes secrets and home directories out.

    `root` is as in `tasks/get`.
    """

    task_id: str
    root: str | None = None
    format: ExportFormat
    """The format of the text."""
    redact: bool = False
    """Replace secrets, home directories and user names."""


class Redaction(Record, kw_only=True):
    """How often one kind of text was replaced."""

    kind: str
    """The kind of secret."""
    count: int
    """How often it was replaced."""


class ExportResult(Record, kw_only=True):
    """A whole task as one text; `redactions` is there when redaction was asked for."""

    text: str
    """The whole document."""
    redactions: list[Redaction] | None = None
    """What was replaced. Present if `redact` was set."""


class TaskIdsParams(Params, kw_only=True):
    """Parameters of `tasks/delete`, `tasks/restore` and `tasks/archive`: whole ids."""

    task_ids: list[str]
    """Whole ids of tasks in the own root."""


class PutAwayParams(Params, kw_only=True):
    """Parameters of `tasks/putAway`."""

    limit: Limit = 200
    """The most tasks in the answer."""


class PutAwayTask(Record, kw_only=True):
    """A task that `tasks/restore` would bring back.

    `at` is the time of its deletion or, in the archive, of the last change to its folder.
    """

    id: str
    """The id of the task."""
    title: str
    """Its title."""
    shelf: Shelf
    """Where it is now."""
    at: int
    """When it was removed, in ms since the epoch."""


class PutAwayResult(Record, kw_only=True):
    """The own root's tasks in the archive and in the trash, the newest first; `total` counts them all."""

    items: list[PutAwayTask]
    """Removed tasks, newest first."""
    total: int
    """How many there are in all."""
    revision: int


class FailedTask(Record, kw_only=True):
    """A task that was left as it is, with the error code that says why."""

    id: str
    """The id of the task."""
    code: int
    """An error code of this protocol."""
    message: str
    """Why it was not changed."""


class HousekeepingResult(Record, kw_only=True):
    """What became of each task."""

    done: list[str]
    """Ids that were changed."""
    failed: list[FailedTask]
    """Tasks that were not changed, and why."""


class DoctorParams(Params, kw_only=True):
    """Parameters of `history/doctor`."""

    roots: list[str] | None = None
    work_done_token: str | int | None = None


class Finding(Record, kw_only=True):
    """Something to know about a stored task or a store: what, why, and what helps."""

    code: str
    """A stable code."""
    root: str
    """The root that it concerns."""
    task_id: str | None = None
    """The task that it concerns."""
    path: str | None = None
    """The file or folder that it concerns."""
    message: str
    """What is wrong."""
    remedy: str
    """What to do about it."""


class DoctorRoot(Record, kw_only=True):
    """One root that was examined.

    `emptyFolders` counts folders without messages and without a list entry. They are not tasks: no list,
    search or total has them.
    """

    path: str
    """The absolute path."""
    product: Product | None = None
    """The product that it belongs to, if known."""
    exists: bool
    """Whether the folder exists."""
    tasks: int
    """Stored tasks in it."""
    empty_folders: int
    """Folders without messages, which are not listed."""


class DoctorPlace(Record, kw_only=True):
    """A place where autoDiscover looks for a store, and if there is one; `why` tells how it came to be."""

    path: str
    """The absolute path."""
    why: str
    """Why this place was searched."""
    found: bool
    """Whether it holds tasks."""


class DoctorResult(Record, kw_only=True):
    """The report: nothing was changed. `counts` are by code; `searched` is left out when roots were named."""

    roots: list[DoctorRoot]
    """The roots that were examined."""
    searched: list[DoctorPlace] | None = None
    """Where stores were searched for. Absent if `roots` were given."""
    findings: list[Finding]
    """What was found."""
    counts: dict[str, int]
    """Findings by code."""
    revision: int
