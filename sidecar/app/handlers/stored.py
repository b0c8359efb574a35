"""`tasks/*`: stored tasks, which are read in threads."""

import asyncio
from typing import Any

from sidecar.api.stored.tasks import (
    GetParams,
    GetResult,
    ListParams,
    MessagesParams,
    MessagesResult,
    RefreshParams,
    RevisionResult,
)
from sidecar.app.clients.session import Session
from sidecar.app.handlers import Handlers
from sidecar.history.listing.selection import ListQuery


async def list_tasks(session: Session, params: ListParams) -> dict[str, Any]:
    """Answer `tasks/list`."""
    rules = params.rules or session.settings.current.history.rules
    with session.progress(params.work_done_token, "Listing tasks"):
        query = ListQuery(
            filter=params.filter,
            query=params.query,
            rules=rules,
            sort=params.sort,
            limit=params.limit,
            cursor=params.cursor,
            roots=params.roots,
            children=params.children,
            estimate=session.settings.current.history.estimate_cost,
        )
        page = await asyncio.to_thread(session.history.page, query)
        return page.wire()


async def get_task(session: Session, params: GetParams) -> GetResult:
    """Answer `tasks/get`."""
    host = session.host
    estimate = session.settings.current.history.estimate_cost
    task, provenance = await asyncio.to_thread(session.history.get, params.task_id, params.root, estimate)
    return GetResult(task=task, provenance=provenance, revision=host.revision)


async def list_messages(session: Session, params: MessagesParams) -> MessagesResult:
    """Answer `tasks/messages`."""
    return await asyncio.to_thread(
        session.history.messages,
        params.task_id,
        params.kind,
        params.cursor,
        params.limit,
        params.from_,
        params.root,
    )


async def refresh(session: Session, params: RefreshParams) -> RevisionResult:
    """Answer `tasks/refresh`: check every file again and notify of changes."""
    await session.refresh_history()
    return RevisionResult(revision=session.host.revision)


HANDLERS: Handlers = {
    "tasks/list": list_tasks,
    "tasks/get": get_task,
    "tasks/messages": list_messages,
    "tasks/refresh": refresh,
}
