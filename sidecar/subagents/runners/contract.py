"""What executes a subagent, as the orchestrator sees it: a runner starts runs, a handle follows one."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from sidecar.api.errors import LaunchFailed
from sidecar.subagents.permission_policy import Answer, Question

Emit = Callable[[dict[str, Any]], Awaitable[None]]
"""Takes one event of a run, without `seq` and `ts`; it waits while the journal is behind.

The waiting is the back-pressure: a runner reads no further meanwhile, so its child blocks on a full pipe.
"""


class RunnerUnavailable(LaunchFailed):
    """The runner cannot start anything here. `data`: reason, which names the cause and the remedy."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, reason=reason)


class Attendant:
    """Who looks after one run while it goes on. This one does nothing, and answers no question."""

    def ready(self, *, silence_counts: bool) -> None:
        """Note that the start is over; with `silence_counts` long silence from now on means it is stuck."""

    def active(self) -> None:
        """Note a sign of life that is no event."""

    async def ask(self, question: Question) -> Answer:
        """Return what the agent may do; as late as a person does. A cancel takes the question back."""
        return Answer.denial(question, "nobody attends this run")


@dataclass(frozen=True)
class RunSpec:
    """One run to start: the whole prompt, the directory to work in, and whose run it is."""

    task_id: str
    prompt: str
    workspace_dir: Path
    env: Mapping[str, str] = field(default_factory=dict)
    """Added to the environment after the runner's own `env`."""
    model: str | None = None
    """The model its definition asks for; runners that cannot choose one pass it over."""
    attendant: Attendant = field(default_factory=Attendant)


@dataclass(frozen=True)
class RunResult:
    """How a run ended. `error` is set exactly when the reason is not GOAL."""

    terminate_reason: Literal["GOAL", "ERROR", "MAX_TURNS"]
    final_message: str | None
    emitted_vars: dict[str, Any]
    error: str | None


class RunHandle(Protocol):
    """One started run. The orchestrator holds it until `result` or `stop` has returned."""

    @property
    def pid(self) -> int | None:
        """The process of the run, for records and displays; None where it has none of its own."""

    async def result(self) -> RunResult:
        """Wait for the natural or forced end; every event was emitted by then.

        Called by the orchestrator, any number of times; cancelling the wait leaves the run alone. A failing
        child is a result, never an exception. Nothing of the run is left when this returns.
        """

    async def stop(self, limit: float = 5.0) -> None:
        """End the run within `limit` seconds and leave nothing of it.

        The politer steps shrink with the limit. Called at cancel, at a hard time limit and at the end of the
        Host; any number of times, at once too, before and after the end; a smaller limit wins.
        """


class Runner(Protocol):
    """One configured way to execute subagents, such as one command. It holds no state of its runs."""

    @property
    def name(self) -> str:
        """The key under `runners` in the settings."""

    @property
    def type(self) -> str:
        """`acp`, `command` or `builtin`."""

    def check(self) -> None:
        """Raise `RunnerUnavailable` when the program cannot be found.

        Called before a launch is accepted and to list the runners; quick, and it starts nothing.
        """

    async def start(self, spec: RunSpec, emit: Emit) -> RunHandle:
        """Start the run and return as soon as its process exists.

        Called once a slot is held. Raises `RunnerUnavailable` when nothing could be started, and
        `InvalidParams` for a prompt that cannot be handed over.
        """
