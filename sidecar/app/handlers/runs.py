"""`asyncTasks/*` and `subagents/*`: background runs and definitions."""

from sidecar.api.base import NoParams
from sidecar.api.errors import InvalidParams
from sidecar.api.runs.async_tasks import STATUSES
from sidecar.api.runs.launches import LaunchParams, ResumeParams, ResumeResult, TaskIdParams, TaskResult
from sidecar.api.runs.requests import (
    AsyncListParams,
    AsyncListResult,
    CancelAllParams,
    CancelAllResult,
    CancelParams,
    CancelResult,
    EventsParams,
    EventsResult,
    ReorderParams,
    ReorderResult,
    SendParams,
    SendResult,
    SetMaxParams,
    SetMaxResult,
    SubscribeParams,
    SubscribeResult,
    WaitParams,
    WaitResult,
)
from sidecar.api.runs.subagents import SubagentsResult, ValidateParams
from sidecar.api.stored.tasks import MAX_PAGE
from sidecar.app.clients.session import Session
from sidecar.app.handlers import Handlers
from sidecar.app.launching.run_selection import EVERYTHING
from sidecar.app.launching.workspace import parse_folders
from sidecar.app.run_counts import count_runs
from sidecar.rpc.integers import MAX_INTEGER
from sidecar.subagents.journal.listed import listed

MAX_EVENT_BYTES = 4 * 1024 * 1024
"""The most bytes of events in one answer: far below the frame limit, large enough for any page."""


async def list_subagents(session: Session, params: NoParams) -> SubagentsResult:
    """Answer `subagents/list`; agents that were installed since the start are found."""
    session.context.runners.refresh()
    return await session.context.definitions.describe(session.workspace)


async def validate_subagents(session: Session, params: ValidateParams) -> SubagentsResult:
    """Answer `subagents/validate`; it only reads files, so it requires no trust."""
    if params.paths is None:
        return await list_subagents(session, NoParams())
    return await session.context.definitions.check(parse_folders(params.paths, "paths"))


async def launch(session: Session, params: LaunchParams) -> TaskResult:
    """Answer `asyncTasks/launch` when the record is durable and the run has a slot or is queued."""
    session.require_trust()
    session.host.require_ownership()
    record = await session.host.launcher.launch(params, session.caller)
    return TaskResult(task=session.host.registry.current(record), revision=session.host.revision)


async def list_runs(session: Session, params: AsyncListParams) -> AsyncListResult:
    """Answer `asyncTasks/list`."""
    check_limit(params.limit)
    host = session.host
    statuses = [params.status] if isinstance(params.status, str) else params.status or STATUSES
    records, cursor = await host.journal.list(statuses, params.cursor, params.limit)
    counts = await count_runs(host.journal)
    # Last, without an await before the answer, since runs may end meanwhile.
    return AsyncListResult(
        items=[listed(host.registry.current(record)) for record in records],
        counts=counts.by_status,
        foreground=counts.foreground,
        max=host.manager.max_async_tasks,
        next_cursor=cursor,
        revision=host.revision,
    )


async def get_run(session: Session, params: TaskIdParams) -> TaskResult:
    """Answer `asyncTasks/get`."""
    record = await session.host.registry.resolve(params.task_id)
    return TaskResult(task=session.host.registry.current(record), revision=session.host.revision)


async def cancel(session: Session, params: CancelParams) -> CancelResult:
    """Answer `asyncTasks/cancel`; an ended task is not an error."""
    host = session.host
    host.require_ownership()
    record = await host.registry.resolve(params.task_id)
    cancelled = await host.control.cancel(record.task.id, by="user", words=params.reason)
    ended = await host.registry.resolve(record.task.id)
    return CancelResult(cancelled=cancelled, task=host.registry.current(ended), revision=host.revision)


async def cancel_all(session: Session, params: CancelAllParams) -> CancelAllResult:
    """Answer `asyncTasks/cancelAll`: cancel queued and running tasks."""
    if params.scope == "all":
        session.require_trust("only its own tasks can be cancelled")
    session.host.require_ownership()
    selection = session.caller.selection() if params.scope == "own" else EVERYTHING
    count = await session.host.control.cancel_all("user", selection)
    return CancelAllResult(cancelled=count, revision=session.host.revision)


async def reorder(session: Session, params: ReorderParams) -> ReorderResult:
    """Answer `asyncTasks/reorder`."""
    _check_between("position", params.position, 1)
    host = session.host
    host.require_ownership()
    position = host.control.reorder(await host.registry.resolve(params.task_id), params.position)
    return ReorderResult(queue_position=position, revision=host.revision)


async def start_now(session: Session, params: TaskIdParams) -> TaskResult:
    """Answer `asyncTasks/startNow`: start a queued task over the limit."""
    session.require_trust()
    host = session.host
    host.require_ownership()
    record = await host.registry.resolve(params.task_id)
    await host.control.start_now(record)
    return TaskResult(
        task=host.registry.current(await host.registry.resolve(record.task.id)), revision=host.revision
    )


async def send(session: Session, params: SendParams) -> SendResult:
    """Answer `asyncTasks/send`: the agent gets the message now if it can, else when its turn ends."""
    session.require_trust()
    host = session.host
    host.require_ownership()
    if not params.text.strip():
        raise InvalidParams("text: is blank; write a message for the agent")
    record = await host.registry.resolve(params.task_id)
    delivery = await host.control.send(record, params.text)
    return SendResult(delivery=delivery, revision=host.revision)


async def resume(session: Session, params: ResumeParams) -> ResumeResult:
    """Answer `asyncTasks/resume`: launch a task that continues an ended one."""
    session.require_trust()
    host = session.host
    host.require_ownership()
    if params.text is not None and not params.text.strip():
        raise InvalidParams("text: is blank; write a message for the agent, or omit it")
    record, mode = await host.launcher.resume(params, session.caller)
    return ResumeResult(task=host.registry.current(record), mode=mode, revision=host.revision)


async def set_max(session: Session, params: SetMaxParams) -> SetMaxResult:
    """Answer `asyncTasks/setMax`; running tasks continue, queued ones may start."""
    session.require_trust("max, which all clients share, cannot be changed")
    if params.max != -1:
        _check_between("max", params.max, 0, "; -1 means no limit")
    session.host.require_ownership()
    session.update_settings({"asyncTasks": {"max": params.max}})
    return SetMaxResult(max=params.max, revision=session.host.revision)


async def wait(session: Session, params: WaitParams) -> WaitResult:
    """Answer `asyncTasks/wait` when the tasks have ended or the timeout expires; several are as in a list."""
    timeout = params.timeout_seconds
    if timeout is not None and not 0 <= timeout < float("inf"):
        raise InvalidParams(f"timeoutSeconds: {timeout} is not a number of seconds, 0 or more")
    if not params.task_ids:
        raise InvalidParams("taskIds: name at least one task")
    host = session.host
    ids = [(await host.registry.resolve(each)).task.id for each in params.task_ids]
    timed_out = await host.control.wait(ids, params.mode, timeout)
    records = [await host.registry.resolve(each) for each in ids]
    tasks = [host.registry.current(record) for record in records]
    if len(tasks) > 1:
        tasks = [listed(task) for task in tasks]
    pending = [task.id for task in tasks if task.status in ("queued", "running")]
    return WaitResult(tasks=tasks, pending=pending, timed_out=timed_out, revision=host.revision)


async def events(session: Session, params: EventsParams) -> EventsResult:
    """Answer `asyncTasks/events`."""
    check_limit(params.limit)
    _check_between("afterSeq", params.after_seq, 0)
    host = session.host
    task_id = (await host.registry.resolve(params.task_id)).task.id
    page = await host.events.read(task_id, params.after_seq, params.limit, MAX_EVENT_BYTES)
    return EventsResult(events=page.events, last_seq=page.last_seq, more=page.more, revision=host.revision)


async def subscribe(session: Session, params: SubscribeParams) -> SubscribeResult:
    """Answer `asyncTasks/subscribe`; send the events as `asyncTasks/didOutput`."""
    _check_between("afterSeq", params.after_seq or 0, 0)
    record = await session.host.registry.resolve(params.task_id)
    return SubscribeResult(last_seq=await session.output.subscribe(record.task.id, params.after_seq))


async def unsubscribe(session: Session, params: TaskIdParams) -> None:
    """Answer `asyncTasks/unsubscribe`; a task without a subscription is not an error."""
    record = await session.host.registry.resolve(params.task_id)
    session.output.unsubscribe(record.task.id)


def check_limit(limit: int) -> None:
    """Raise InvalidParams unless a page size is between 1 and MAX_PAGE."""
    if not 1 <= limit <= MAX_PAGE:
        raise InvalidParams(f"limit: {limit} is not between 1 and {MAX_PAGE}")


def _check_between(name: str, value: int, low: int, hint: str = "") -> None:
    """Raise InvalidParams unless an integer is between `low` and the largest exact integer in JSON."""
    if not low <= value <= MAX_INTEGER:
        raise InvalidParams(f"{name}: {value} is not between {low} and {MAX_INTEGER}{hint}")


HANDLERS: Handlers = {
    "subagents/list": list_subagents,
    "subagents/validate": validate_subagents,
    "asyncTasks/launch": launch,
    "asyncTasks/list": list_runs,
    "asyncTasks/get": get_run,
    "asyncTasks/cancel": cancel,
    "asyncTasks/cancelAll": cancel_all,
    "asyncTasks/send": send,
    "asyncTasks/resume": resume,
    "asyncTasks/reorder": reorder,
    "asyncTasks/startNow": start_now,
    "asyncTasks/setMax": set_max,
    "asyncTasks/wait": wait,
    "asyncTasks/events": events,
    "asyncTasks/subscribe": subscribe,
    "asyncTasks/unsubscribe": unsubscribe,
}
