"""The tools of the model: what each declares, and what it answers."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sidecar.tools.check_async_tasks import CheckAsyncTasksTool
    from sidecar.tools.list_tasks import ListTasksTool
    from sidecar.tools.result import ToolError, ToolResult
    from sidecar.tools.task import TaskTool

__all__ = ["CheckAsyncTasksTool", "ListTasksTool", "TaskTool", "ToolError", "ToolResult"]

_HOMES = {
    "CheckAsyncTasksTool": "check_async_tasks",
    "ListTasksTool": "list_tasks",
    "TaskTool": "task",
    "ToolError": "result",
    "ToolResult": "result",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for: one tool does not load what the others need."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
