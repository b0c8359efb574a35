"""The records of async tasks that the pure core hands out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["running", "completed", "failed", "cancelled"]
Output = Mapping[str, Any]
"""What a run leaves: `terminate_reason`, `emitted_vars` and, when there is one, `final_message`."""

ID_PREFIX = 8
"""UTF-16 units of an id that the texts show."""


@dataclass(slots=True)
class AsyncTaskInfo:
    """One background run as the manager knows it: a live record that only the manager changes.

    Times are integer milliseconds since the epoch.
    """

    id: str
    subagent_name: str
    goal_prompt: str
    status: Status
    launched_at: int
    completed_at: int | None = None
    notified_at: int | None = None
    output: Output | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class QueuedTask:
    """A task that waits for a slot; the manager does not know it yet. `queued_at` is in ms."""

    id: str
    subagent_name: str
    goal_prompt: str
    queued_at: int


@dataclass(frozen=True, slots=True)
class LaunchPermission:
    """Whether a launch would be accepted now, and if not, why."""

    allowed: bool
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class PrefixMatch:
    """The answer to a prefix: the one task, or the several that share it, or neither."""

    task: AsyncTaskInfo | None = None
    candidates: list[AsyncTaskInfo] = field(default_factory=list)
