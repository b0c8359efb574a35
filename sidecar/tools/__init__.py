"""The tools of the model: their declarations and results."""

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
    """Import a public name on first use, so that each tool loads only its own dependencies."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
