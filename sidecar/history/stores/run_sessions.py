"""The sessions that agents keep of runs: a run and its session are the same work. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from sidecar.api.stored.tasks import TaskInfo, TokenUsage
from sidecar.history.stores.index_row import IndexRow, info_of

_SESSION: Final = b'"sessionTaskId":"'
"""In a row's JSON; quotes inside of texts have a backslash."""


def sessions_of_runs(rows: Iterable[IndexRow]) -> set[str]:
    """Return the IDs of the sessions that rows of runs name."""
    named = [row for row in rows if _SESSION in row.body]
    return {session for row in named if (session := info_of(row, "structural", 0).session_task_id)}


def counted_once(tasks: Sequence[TaskInfo]) -> Sequence[TaskInfo]:
    """Leave out the usage and the messages of runs whose sessions are among the tasks too.

    If a session records no cost, the costs that its runs reported count instead of an estimate.
    """
    sessions = {task.id: task for task in tasks if task.product != "sidecar"}
    costs = {task.id: usage for task in tasks if (usage := _reported_cost(task, sessions)) is not None}
    priced = {task.session_task_id for task in tasks if task.id in costs}
    return [
        msgspec.structs.replace(task, token_usage=costs.get(task.id), message_count=None)
        if task.session_task_id in sessions
        else _without_estimate(task)
        if task.id in priced
        else task
        for task in tasks
    ]


def _reported_cost(task: TaskInfo, sessions: Mapping[str, TaskInfo]) -> TokenUsage | None:
    """Return the cost of a run whose session has none; None otherwise."""
    session = sessions.get(task.session_task_id or "")
    if session is None or task.token_usage is None or task.token_usage.cost is None:
        return None
    if session.token_usage is not None and session.token_usage.cost is not None:
        return None
    return TokenUsage(cost=task.token_usage.cost)


def _without_estimate(task: TaskInfo) -> TaskInfo:
    if task.token_usage is None:
        return task
    usage = msgspec.structs.replace(task.token_usage, estimated_cost=None)
    return msgspec.structs.replace(task, token_usage=usage)
