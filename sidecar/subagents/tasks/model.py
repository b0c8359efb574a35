"""The records that the pure core of async tasks returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sidecar.api.runs.async_tasks import Placement, Waiting

Status = Literal["running", "completed", "failed", "cancelled"]
Output = Mapping[str, Any]
"""The output of a run: `terminate_reason`, `emitted_vars` and, if there is one, `final_message`."""

ID_PREFIX = 8
"""How many UTF-16 units of an ID the texts show."""


@dataclass(slots=True)
class AsyncTaskInfo:
    """A live record of one background run. Only the manager changes it.

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
    """A task that is queued and not registered yet. `queued_at` is in ms since the epoch.

    `waiting` says why it waits, unless it only waits for a slot, and `placement` what it needs of a node.
    """

    id: str
    subagent_name: str
    goal_prompt: str
    queued_at: int
    waiting: Waiting | None = None
    placement: Placement | None = None


@dataclass(frozen=True, slots=True)
class LaunchPermission:
    """Whether a launch is possible now, and the reason if not."""

    allowed: bool
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class PrefixMatch:
    """The result for a prefix: the only match, or all candidates if several tasks share it."""

    task: AsyncTaskInfo | None = None
    candidates: list[AsyncTaskInfo] = field(default_factory=list)
