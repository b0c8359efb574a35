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
    tasks_with_tokens: int
    tasks_with_cost: int
    tokens: int | float | None = None
    input: int | float | None = None
    output: int | float | None = None
    cache_reads: int | float | None = None
    cache_writes: int | float | None = None
    cost: int | float | None = None
    messages: int
    size_bytes: int


class StatsGroup(Record, kw_only=True):
    """The totals of the tasks that share a value; `key` is absent where it is not known."""

    key: str | None = None
    totals: Totals


class TreeTotals(Record, kw_only=True):
    """A parent's own figures and those of its whole tree, itself included; both say how many tasks."""

    task_id: str
    root: str
    title: str
    own: Totals
    tree: Totals


class DiskUse(Record, kw_only=True):
    """Bytes on disk under the own root: `message_bytes` of `task_bytes` are the two message files."""

    root: str
    task_bytes: int
    message_bytes: int
    archive_bytes: int
    trash_bytes: int


class StatsParams(Params, kw_only=True):
    """Parameters of `tasks/stats`: which tasks, as `tasks/list` takes them, and what to group them by.

    With `disk` the own root's use of the disk is measured too.
    """

    filter: str | None = None
    query: str | None = None
    rules: Rules | None = None
    roots: list[str] | None = None
    group_by: list[GroupKey] = msgspec.field(default_factory=lambda: list(GROUPS))
    disk: bool = False
    work_done_token: str | int | None = None


class StatsResult(Record, kw_only=True):
    """Totals of the matched tasks; groups are sorted by cost, days by date, both downwards.

    Several roots may hold copies of a task, with the same id. The totals count the copy that was used last;
    `copies` says how many of the `matched` are others.
    """

    matched: int
    copies: int
    totals: Totals
    groups: dict[str, list[StatsGroup]]
    parents: list[TreeTotals]
    disk: DiskUse | None = None
    revision: int


class TouchedFile(Record, kw_only=True):
    """A file a task worked with; `path` as the task recorded it, with slashes.

    `additions` and `deletions` count the lines of all its known changes; they are absent where none is known,
    as in tasks of other products, binary files and deletions without a diff. A moved file counts as edited.
    """

    path: str
    actions: list[FileAction]
    additions: int | None = None
    deletions: int | None = None
    last_at: int | float | None = None


class FilesParams(Params, kw_only=True):
    """Parameters of `tasks/files`: an id or a unique prefix, and the `root` as in `tasks/get`."""

    task_id: str
    root: str | None = None


class FilesResult(Record, kw_only=True):
    """The files a task touched, by path."""

    task_id: str
    files: list[TouchedFile]
    revision: int


class ByFileParams(Params, kw_only=True):
    """Parameters of `tasks/byFile`: a path, absolute or the end of one."""

    path: str
    limit: Limit = 200
    roots: list[str] | None = None
    work_done_token: str | int | None = None


class FileTask(Record, kw_only=True):
    """A task that touched the file asked for."""

    task_id: str
    root: str
    title: str
    status: TaskStatus
    last_activity: int | float | None = None
    file: TouchedFile


class ByFileResult(Record, kw_only=True):
    """The tasks that touched a file, the last to do so first; `matched` counts them all."""

    items: list[FileTask]
    matched: int
    revision: int


class SearchParams(Params, kw_only=True):
    """Parameters of `tasks/search`: words that must all occur, "phrases", and starts of words as `sta*`."""

    text: str
    query: str | None = None
    limit: Limit = 50
    roots: list[str] | None = None
    work_done_token: str | int | None = None


class SearchHit(Record, kw_only=True):
    """A message that holds the words; `index` is its place in `tasks/messages` of this `kind`.

    `snippet` shows the words between U+0002 and U+0003.
    """

    task_id: str
    root: str
    title: str
    kind: Literal["ui", "api"]
    index: int
    role: str
    ts: int | float | None = None
    snippet: str


class SearchResult(Record, kw_only=True):
    """Hits, the best first. While the index is being built `indexed` is below `total`, in tasks."""

    hits: list[SearchHit]
    indexed: int
    total: int
    revision: int


class ExportParams(Params, kw_only=True):
    """Parameters of `tasks/export`; `redact` takes secrets and home directories out.

    `root` is as in `tasks/get`.
    """

    task_id: str
    root: str | None = None
    format: ExportFormat
    redact: bool = False


class Redaction(Record, kw_only=True):
    """How often one kind of text was replaced."""

    kind: str
    count: int


class ExportResult(Record, kw_only=True):
    """A whole task as one text; `redactions` is there when redaction was asked for."""

    text: str
    redactions: list[Redaction] | None = None


class TaskIdsParams(Params, kw_only=True):
    """Parameters of `tasks/delete`, `tasks/restore` and `tasks/archive`: whole ids."""

    task_ids: list[str]


class PutAwayParams(Params, kw_only=True):
    """Parameters of `tasks/putAway`."""

    limit: Limit = 200


class PutAwayTask(Record, kw_only=True):
    """A task that `tasks/restore` would bring back.

    `at` is the time of its deletion or, in the archive, of the last change to its folder.
    """

    id: str
    title: str
    shelf: Shelf
    at: int


class PutAwayResult(Record, kw_only=True):
    """The own root's tasks in the archive and in the trash, the newest first; `total` counts them all."""

    items: list[PutAwayTask]
    total: int
    revision: int


class FailedTask(Record, kw_only=True):
    """A task that was left as it is, with the error code that says why."""

    id: str
    code: int
    message: str


class HousekeepingResult(Record, kw_only=True):
    """What became of each task."""

    done: list[str]
    failed: list[FailedTask]


class DoctorParams(Params, kw_only=True):
    """Parameters of `history/doctor`."""

    roots: list[str] | None = None
    work_done_token: str | int | None = None


class Finding(Record, kw_only=True):
    """Something to know about a stored task or a store: what, why, and what helps."""

    code: str
    root: str
    task_id: str | None = None
    path: str | None = None
    message: str
    remedy: str


class DoctorRoot(Record, kw_only=True):
    """One root that was examined.

    `emptyFolders` counts folders without messages and without a list entry. They are not tasks: no list,
    search or total has them.
    """

    path: str
    product: Product | None = None
    exists: bool
    tasks: int
    empty_folders: int


class DoctorPlace(Record, kw_only=True):
    """A place where autoDiscover looks for a store, and if there is one; `why` tells how it came to be."""

    path: str
    why: str
    found: bool


class DoctorResult(Record, kw_only=True):
    """The report: nothing was changed. `counts` are by code; `searched` is left out when roots were named."""

    roots: list[DoctorRoot]
    searched: list[DoctorPlace] | None = None
    findings: list[Finding]
    counts: dict[str, int]
    revision: int
