"""Stored tasks, read: tolerant, bounded, never written."""

from sidecar.api.tasks import TaskInfo
from sidecar.history.task_history import TaskHistory

__all__ = ["TaskHistory", "TaskInfo"]
