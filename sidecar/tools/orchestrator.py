"""What a caller of the tool `task` provides to launch subagents, in the shapes of the tool's contract."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from sidecar.subagents.tasks.launching import Abort
from sidecar.subagents.tasks.model import Output


@dataclass(frozen=True, kw_only=True)
class LaunchRequest:
    """What to launch. `behaviour_prompts` has the goal first.

    `run_config`: `max_time_minutes` (inf for none), `grace_period_seconds?`, `max_turns?`; None without
    any limit. `tool_config`: `tools`, where an empty list means no tool; None means the definition's.
    `output_config`: `outputs`, name to description.
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
        """What the run has produced so far; also there after a timeout or an error."""

    async def run_non_interactive(self, context: dict[str, Any]) -> object:
        """Run to the end; return or raise soon after the launch's abort handle fires."""


@runtime_checkable
class SpeakingScope(Protocol):
    """A run that passes on its text while it runs, to `on_message` once that is set."""

    on_message: Callable[[str], object] | None


class Launch(Protocol):
    """What a launch yields."""

    @property
    def agent_id(self) -> str:
        """The id of the run and of its task."""

    @property
    def scope(self) -> Scope:
        """The run."""

    def dispose(self) -> Awaitable[object]:
        """Free what the run held, however it ended."""


class Orchestrator(Protocol):
    """Starts subagents by name."""

    async def launch(self, request: LaunchRequest, abort: Abort) -> Launch:
        """Start one; raise when it cannot be, or when `abort` fires first."""
