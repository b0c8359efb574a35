"""The error for an ID that no task has, with what could not be searched for it."""

from collections.abc import Sequence
from typing import Final

from sidecar.api.errors import TaskNotFound
from sidecar.history.stored.shared_remedies import SHARED_REMEDIES
from sidecar.history.stores.contract import SharedProblem

_MOST_NAMED: Final = 3


def not_found(task_id: str, root: str | None, unread: Sequence[SharedProblem] = ()) -> TaskNotFound:
    """Create the error; `unread` are the files and folders that may hold the task."""
    place = "stored task" if root is None else f"task stored in {root}"
    message = f"no {place} has the ID or prefix {task_id!r}"
    for path, problem in unread[:_MOST_NAMED]:
        remedy = SHARED_REMEDIES.get(problem.code, "`doctor` suggests a remedy")
        message += f". {path} cannot be searched: {problem.message}; {remedy}"
    if len(unread) > _MOST_NAMED:
        message += f". {len(unread) - _MOST_NAMED} more places cannot be searched; doctor names them"
    return TaskNotFound(message, taskId=task_id)
