"""The `guide` rules: what the implementation guide of `list_tasks` says about a task, quirks included."""

import re
from collections.abc import Sequence

import msgspec

from sidecar.api.tasks import TaskInfo, TaskStatus

_TASK_NAME = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)


class GuideFields(msgspec.Struct, frozen=True, kw_only=True):
    """One task as the guide sees it: times in ms, NaN where JavaScript has an Invalid Date."""

    created_at: int | float
    last_activity: int | float
    status: TaskStatus
    title: str
    mode_current: str | None
    mode_name: str | None
    tokens_total: int | float
    cost: int | float
    message_count: int
    duration: int | float | None
    workspace_dir: str | None


def is_task_name(name: str) -> bool:
    """Tell whether the guide takes a folder of this name for a task: a UUID of any version, any case."""
    return _TASK_NAME.fullmatch(name) is not None


def extract(task_id: str, ui: bytes, api: bytes, now_ms: int) -> GuideFields | None:
    """Read a task's two message files as the guide does; None where the guide drops the task."""
    raise NotImplementedError


def sort(tasks: Sequence[TaskInfo]) -> list[TaskInfo]:
    """Order tasks as the guide lists them: by name in byte order, then newest creation first, stable."""
    raise NotImplementedError
