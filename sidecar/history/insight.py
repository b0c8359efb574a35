"""Totals over stored tasks, the files they touched, and the tasks that touched a file."""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce

from sidecar.api.errors import InvalidParams
from sidecar.api.stored.files import ByFileParams, ByFileResult, FilesResult, FileTask, TouchedFile
from sidecar.api.stored.stats import DiskUse, StatsParams, StatsResult
from sidecar.api.stored.tasks import Rules, TaskInfo
from sidecar.changes.file_change import FileChange, merged
from sidecar.history.due import due_deletion
from sidecar.history.listing.selection import Selection
from sidecar.history.messages.file_lookup import fits_path
from sidecar.history.prices import table_name
from sidecar.history.stats import grouped, totals, trees, without_copies
from sidecar.history.stores.run_sessions import counted_once
from sidecar.history.task_history import TaskHistory


def stats(
    history: TaskHistory,
    params: StatsParams,
    rules: Rules,
    disk: Callable[[], DiskUse] | None = None,
    estimate: bool = False,
) -> StatsResult:
    """Sum the selected tasks; `disk` measures the own root if requested, `estimate` estimates costs.

    Child sessions count too, each with its own usage. If several roots hold a task, one copy counts. A run
    whose session in the agent's own store is selected too has no usage of its own. Parents
    are summed over all tasks of their root, so that a query for a parent counts its children.
    Raises InvalidParams for a bad query or root.
    """
    chosen = Selection(params.filter, params.query, rules, children=True, estimate=estimate)
    rows = history.select(chosen, params.roots)
    unique = without_copies(rows, [root.path for root in history.roots])
    counted = counted_once(unique)
    shown = {(row.root, row.id) for row in counted}
    everything = history.select(Selection(rules=rules, children=True, estimate=estimate), params.roots)
    return StatsResult(
        matched=len(rows),
        copies=len(rows) - len(counted),
        totals=totals(counted),
        groups={by: grouped(counted, by) for by in dict.fromkeys(params.group_by)},
        parents=[tree for tree in trees(counted_once(everything)) if (tree.root, tree.task_id) in shown],
        due_deletion=due_deletion(history, params.roots),
        disk=disk() if disk is not None and params.disk else None,
        prices=table_name() if estimate else None,
        revision=history.revision,
    )


def files(history: TaskHistory, task_id: str, root: str | None = None) -> FilesResult:
    """List the files a task touched. Raises as `TaskHistory.get` does."""
    found, name = history.resolve(task_id, root)
    files = [_touched(file) for file in history.store(found.path).touched_files(name)]
    return FilesResult(task_id=name, files=files, revision=history.revision)


def by_file(
    history: TaskHistory,
    params: ByFileParams,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> ByFileResult:
    """List the tasks that touched a file, most recent first. Raises InvalidParams for a bad path or root.

    `progress(done, total)` counts the tasks that were checked.
    """
    if not params.path.strip():
        raise InvalidParams("path: is empty; give the path of a file, or the end of one")
    fits = fits_path(params.path)
    found = []
    rows = _counted(history.select(Selection(children=True), params.roots), progress)
    for row in history.files.candidates([params.path], rows):
        touched = [file for file in history.files.files(row) if fits(file, row)]
        if touched:
            found.append(_file_task(row, touched))
    found.sort(key=lambda each: (-(each.file.last_at or each.last_activity or 0), each.task_id))
    return ByFileResult(items=found[: params.limit], matched=len(found), revision=history.revision)


def _counted(rows: Sequence[TaskInfo], progress: Callable[[int, int], object]) -> Iterator[TaskInfo]:
    for done, row in enumerate(rows):
        progress(done, len(rows))
        yield row


def _touched(file: FileChange) -> TouchedFile:
    return TouchedFile(
        path=file.path,
        actions=sorted(file.actions),
        additions=file.additions,
        deletions=file.deletions,
        last_at=file.at,
    )


def _file_task(row: TaskInfo, touched: list[FileChange]) -> FileTask:
    """Merge the records of one task for a file that it named in several ways."""
    return FileTask(
        task_id=row.id,
        root=row.root,
        title=row.title,
        status=row.status,
        last_activity=row.last_activity,
        file=_touched(reduce(merged, touched)),
    )
