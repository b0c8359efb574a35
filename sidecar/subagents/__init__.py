"""Async tasks: the state machine, what the model is told of it, and what drives the runs."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sidecar.subagents.reminders.auto_trigger import AsyncTaskAutoTrigger
    from sidecar.subagents.reminders.reminder import AsyncTaskReminderService
    from sidecar.subagents.tasks.manager import AsyncTaskManager

__all__ = ["AsyncTaskAutoTrigger", "AsyncTaskManager", "AsyncTaskReminderService"]

_HOMES = {
    "AsyncTaskAutoTrigger": "reminders.auto_trigger",
    "AsyncTaskManager": "tasks.manager",
    "AsyncTaskReminderService": "reminders.reminder",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for: one room's parts are not all needed everywhere."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
