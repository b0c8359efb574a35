"""The orchestrator that a caller of the tool `task` provides, in the types of the tool's contract."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from sidecar.subagents.tasks.launching import Abort
from sidecar.subagents.tasks.model import Output


@dataclass(frozen=True, kw_only=True)
class LaunchRequest:
    """The request for a launch. `behaviour_prompts` starts with the goal.

    `run_config`: `max_time_minutes` (inf for none), `grace_period_seconds?`, `max_turns?`; None without
    any limit. `tool_config`: `tools`, where an empty list allows no tool; None for the definition's tools.
    `output_config`: `outputs`, which maps names to descriptions.
    """

    name: str
    behaviour_prompts: list[str] = field(default_factory=list)
    run_config: Mapping[str, Any] | None = None
    tool_config: Mapping[str, Any] | None = None
    output_config: Mapping[str, Any] | None = None


class Scope(Protocol):
    """One run that can be executed."""

    @property
    def output(self) -> Output | None:
        """The output so far, even after a timeout or an error."""

    async def run_non_interactive(self, context: dict[str, Any]) -> object:
        """Run to the end; return or raise soon after an abort."""


@runtime_checkable
class SpeakingScope(Protocol):
    """A run that calls `on_message` with its text while it runs."""

    on_message: Callable[[str], object] | None


class Launch(Protocol):
    """The result of a launch."""

    @property
    def agent_id(self) -> str:
        """The ID of the run and of its task."""

    @property
    def scope(self) -> Scope:
        """The run."""

    def dispose(self) -> Awaitable[object]:
        """Release the resources of the run, however it ended."""


class Orchestrator(Protocol):
    """Start subagents by name."""

    async def launch(self, request: LaunchRequest, abort: Abort) -> Launch:
        """Start a subagent; raise if that fails or is aborted."""
