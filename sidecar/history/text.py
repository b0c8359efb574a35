"""The text that `list_tasks` gives a model, and the filter that goes with it."""

from collections.abc import Sequence

from sidecar.api.tasks import Rules, TaskInfo


def format_tasks(tasks: Sequence[TaskInfo], filter: str | None, rules: Rules) -> str:
    """Render tasks as `list_tasks` answers them."""
    raise NotImplementedError


def matches_filter(task: TaskInfo, filter: str, rules: Rules) -> bool:
    """Tell whether the substring filter keeps the task."""
    raise NotImplementedError
