"""Async tasks: the state machine, the model's notifications, and the runs."""

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
    """Import a public name on first use: not every caller needs all of them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
