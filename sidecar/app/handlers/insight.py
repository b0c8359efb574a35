"""Statistics, search, export and diagnosis of stored tasks, and moving tasks of the own root.

All handlers read or move files, so they run in threads. Modules that only these requests need are imported
on first use.
"""

import asyncio
from pathlib import Path

from sidecar.api.errors import InvalidParams
from sidecar.api.stored.doctor import DoctorParams, DoctorResult
from sidecar.api.stored.export import ExportParams, ExportResult
from sidecar.api.stored.files import ByFileParams, ByFileResult, FilesParams, FilesResult
from sidecar.api.stored.housekeeping import (
    HousekeepingResult,
    ListRemovedParams,
    ListRemovedResult,
    TaskIdsParams,
)
from sidecar.api.stored.search import SearchParams, SearchResult
from sidecar.api.stored.stats import StatsParams, StatsResult
from sidecar.app.clients.session import Session
from sidecar.app.clock import history_clock_ms
from sidecar.app.handlers import Handlers


async def stats(session: Session, params: StatsParams) -> StatsResult:
    """Answer `tasks/stats`."""
    from sidecar.history import insight

    settings = session.settings.current.history
    rules, disk = params.rules or settings.rules, session.host.housekeeping.disk_use
    with session.progress(params.work_done_token, "Adding up tasks"):
        return await asyncio.to_thread(
            insight.stats, session.history, params, rules, disk, settings.estimate_cost
        )


async def search(session: Session, params: SearchParams) -> SearchResult:
    """Answer `tasks/search`."""
    host = session.host
    if not session.settings.current.history.search:
        raise InvalidParams("search is turned off by the setting history.search; turn it on to search")
    with session.progress(params.work_done_token, "Searching messages") as progress:
        return await asyncio.to_thread(host.search.search, session.history, params, progress.counter())


async def files(session: Session, params: FilesParams) -> FilesResult:
    """Answer `tasks/files`."""
    from sidecar.history import insight

    return await asyncio.to_thread(insight.files, session.history, params.task_id, params.root)


async def by_file(session: Session, params: ByFileParams) -> ByFileResult:
    """Answer `tasks/byFile`."""
    from sidecar.history import insight

    with session.progress(params.work_done_token, "Searching tasks by file") as progress:
        return await asyncio.to_thread(insight.by_file, session.history, params, progress.counter())


async def export(session: Session, params: ExportParams) -> ExportResult:
    """Answer `tasks/export`."""
    from sidecar.history.export import export as export_task

    estimate = session.settings.current.history.estimate_cost
    return await asyncio.to_thread(
        export_task, session.history, params.task_id, params.format, params.redact, params.root, estimate
    )


async def doctor(session: Session, params: DoctorParams) -> DoctorResult:
    """Answer `history/doctor`."""
    from sidecar.history.doctor import examine

    history, now = session.history, history_clock_ms()
    with session.progress(params.work_done_token, "Examining stored tasks") as progress:
        return await asyncio.to_thread(examine, history, now, params.roots, Path.home(), progress.counter())


async def delete(session: Session, params: TaskIdsParams) -> HousekeepingResult:
    """Answer `tasks/delete`: move tasks to the trash."""
    return await session.host.move_tasks("delete", params.task_ids)


async def archive(session: Session, params: TaskIdsParams) -> HousekeepingResult:
    """Answer `tasks/archive`."""
    return await session.host.move_tasks("archive", params.task_ids)


async def restore(session: Session, params: TaskIdsParams) -> HousekeepingResult:
    """Answer `tasks/restore`: move tasks back from the archive or the trash."""
    return await session.host.move_tasks("restore", params.task_ids)


async def list_removed(session: Session, params: ListRemovedParams) -> ListRemovedResult:
    """Answer `tasks/listRemoved` and its deprecated name `tasks/putAway`."""
    return await asyncio.to_thread(session.host.housekeeping.removed, params.limit)


HANDLERS: Handlers = {
    "tasks/stats": stats,
    "tasks/search": search,
    "tasks/files": files,
    "tasks/byFile": by_file,
    "tasks/export": export,
    "tasks/delete": delete,
    "tasks/archive": archive,
    "tasks/restore": restore,
    "tasks/listRemoved": list_removed,
    "tasks/putAway": list_removed,
    "history/doctor": doctor,
}
