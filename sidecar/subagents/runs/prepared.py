"""A launch that passed every check."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from sidecar.api.runs.launches import LaunchParams
from sidecar.api.settings import SettingsSource
from sidecar.subagents.equipment.equipment import Equipment
from sidecar.subagents.equipment.servers import McpServer
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.limits.constraints import RunConstraints
from sidecar.subagents.runs.holds import Account, account_of
from sidecar.subagents.tasks.launching import Resumption
from sidecar.subagents.tasks.timeouts import TimeoutChoice

if TYPE_CHECKING:
    from sidecar.subagents.runs.targets.target import Target


class Waits(Protocol):
    """Takes account of a run that waits for its children: pauses a timer, or lends its slot."""

    def waiting(self) -> AbstractContextManager[None]:
        """Pause or lend inside the context."""


class Delegation(Protocol):
    """The sidecar's tools for the agent of one run, from `open` to `aclose`."""

    def open(self, waits: Waits) -> McpServer:
        """Return the server that the agent starts. Its token is valid until the run ends."""

    async def next_report(self) -> str | None:
        """Wait for the end of a child, and return the reminder of it; None if nothing is left to report."""

    async def aclose(self) -> None:
        """Make the token invalid, and disconnect the agent from its server."""


@dataclass(frozen=True, kw_only=True)
class PreparedLaunch:
    """All that a run needs except a slot, the same for clients, the terminal and the model's tool.

    `params` and `settings` are those of the caller; `constraints` and `timeout` include the defaults.
    `update_output` is called with the ID of the run, then with each piece of the agent's text.
    """

    params: LaunchParams
    record: RunRecord
    target: "Target"
    constraints: RunConstraints
    timeout: TimeoutChoice
    settings: SettingsSource
    resumption: Resumption | None = None
    update_output: Callable[[str], object] | None = None
    delegation: Delegation | None = None
    """The sidecar's tools, if the definition asks for them."""
    equipment: Equipment = field(default_factory=Equipment)
    """What the agent gets besides its prompt."""

    @property
    def task_id(self) -> str:
        """The ID of the run and of its task."""
        return self.record.task.id

    @property
    def runner_name(self) -> str:
        """The name of the runner, as in `asyncTasks.perRunnerMax`."""
        return self.target.runner.name

    @property
    def account(self) -> Account:
        """The account of the run's model, whose limits apply to it."""
        return account_of(self.runner_name, self.target.definition.model)

    @property
    def subagent_name(self) -> str:
        """The name of the subagent."""
        return self.params.subagent_name

    @property
    def goal_prompt(self) -> str:
        """The goal of the run."""
        return self.params.goal_prompt
