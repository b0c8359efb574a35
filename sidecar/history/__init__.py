"""Read stored tasks: tolerant, bounded, read-only."""

from sidecar.api.stored.tasks import TaskInfo
from sidecar.history.task_history import TaskHistory

__all__ = ["TaskHistory", "TaskInfo"]
