"""A launch that passed every check."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidecar.api.launches import LaunchParams
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.limits.constraints import RunConstraints
from sidecar.subagents.tasks.launching import Resumption
from sidecar.subagents.tasks.timeouts import TimeoutChoice

if TYPE_CHECKING:
    from sidecar.subagents.runs.targets import Target


@dataclass(frozen=True, kw_only=True)
class PreparedLaunch:
    """Everything a run needs but a slot. The same for clients, the terminal and the model's tool.

    `params` are those of the caller; what was not given there is decided in `constraints` and `timeout`.
    `update_output` gets the run's id as soon as there is one, then the agent's text, piece by piece.
    """

    params: LaunchParams
    record: RunRecord
    target: "Target"
    constraints: RunConstraints
    timeout: TimeoutChoice
    resumption: Resumption | None = None
    update_output: Callable[[str], object] | None = None

    @property
    def task_id(self) -> str:
        """The id of the run and of its task."""
        return self.record.task.id

    @property
    def runner_name(self) -> str:
        """The name of the runner, by which `asyncTasks.perRunnerMax` counts."""
        return self.target.runner.name

    @property
    def subagent_name(self) -> str:
        """The name of the subagent."""
        return self.params.subagent_name

    @property
    def goal_prompt(self) -> str:
        """The goal of the run."""
        return self.params.goal_prompt
