"""The sessions that agents keep of runs: a run and its session are the same work. Pure."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from sidecar.api.stored.tasks import TaskInfo
from sidecar.history.stores.index_row import IndexRow, info_of

_SESSION: Final = b'"sessionTaskId":"'
"""In a row's JSON; quotes inside of texts have a backslash."""


def sessions_of_runs(rows: Iterable[IndexRow]) -> set[str]:
    """Return the IDs of the sessions that rows of runs name."""
    named = [row for row in rows if _SESSION in row.body]
    return {session for row in named if (session := info_of(row, "structural", 0).session_task_id)}


def counted_once(tasks: Sequence[TaskInfo]) -> Sequence[TaskInfo]:
    """Leave out the usage and the messages of runs whose sessions are among the tasks too."""
    sessions = {task.id for task in tasks if task.product != "sidecar"}
    return [
        msgspec.structs.replace(task, token_usage=None, message_count=None)
        if task.session_task_id in sessions
        else task
        for task in tasks
    ]
