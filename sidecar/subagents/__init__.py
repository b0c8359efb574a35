"""Async tasks: the state machine, what the model is told of it, and what drives the runs."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sidecar.subagents.auto_trigger import AsyncTaskAutoTrigger
    from sidecar.subagents.manager import AsyncTaskManager
    from sidecar.subagents.reminder import AsyncTaskReminderService

__all__ = ["AsyncTaskAutoTrigger", "AsyncTaskManager", "AsyncTaskReminderService"]

_HOMES = {
    "AsyncTaskAutoTrigger": "auto_trigger",
    "AsyncTaskManager": "manager",
    "AsyncTaskReminderService": "reminder",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for: one room's parts are not all needed everywhere."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
