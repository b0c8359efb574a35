"""The contract between the tool `task` and its launcher: a Host, or an orchestrator of the caller."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sidecar.api.runs.launches import LaunchParams
from sidecar.subagents.runs.background import ForegroundEnd
from sidecar.subagents.tasks.timeouts import TimeoutChoice
from sidecar.tools.result import ToolResult


class Refused(Exception):
    """A launch was refused; `result` is the result for the model."""

    def __init__(self, result: ToolResult) -> None:
        super().__init__(result.return_display)
        self.result = result


@dataclass(frozen=True)
class StartedTask:
    """A task that runs in the background or waits at `queue_position`, counted from 1."""

    task_id: str
    queue_position: int | None = None


class TaskLaunch(Protocol):
    """One launch. Call `run` or `start` once."""

    @property
    def timeout(self) -> TimeoutChoice:
        """The time limit that applies."""

    async def run(self) -> ForegroundEnd:
        """Launch and wait for the end. Raises Refused and any error of the launch."""

    async def start(self) -> StartedTask:
        """Launch in the background. Raises Refused, LimitReached and any error of the launch."""


class TaskLaunches(Protocol):
    """Prepare the launches of a tool."""

    def timeout(self, requested: float | None) -> TimeoutChoice:
        """Return the time limit of a run for a requested limit in seconds; None requests the default."""

    async def prepare(
        self, params: LaunchParams, *, sync: bool, update_output: Callable[[str], object] | None
    ) -> TaskLaunch:
        """Check and plan a launch. Raises InvalidParameter and other SidecarErrors."""
