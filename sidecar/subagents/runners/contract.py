"""What executes a subagent, as the orchestrator sees it: a runner starts runs, a handle follows one."""

from collections.abc import Awaitable, Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from sidecar.api.async_tasks import ErrorKind
from sidecar.api.errors import LaunchFailed, Overloaded
from sidecar.api.permissions import Policy
from sidecar.subagents.limits.constraints import RunConstraints, RunnerOption
from sidecar.subagents.permissions.question import Answer, Question

Emit = Callable[[dict[str, Any]], Awaitable[None]]
"""Takes one event of a run, without `seq` and `ts`; it waits while the journal is behind.

The waiting is the back-pressure: a runner reads no further meanwhile, so its child blocks on a full pipe.
"""


MESSAGES_WAITING = 20
"""How many messages may wait for the end of an agent's turn."""


class RunnerUnavailable(LaunchFailed):
    """The runner cannot start anything here. `data`: reason, which names the cause and the remedy."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, reason=reason)


class RunObserver:
    """Who looks after one run while it goes on. This one does nothing, and answers no question."""

    def ready(self, *, silence_counts: bool) -> None:
        """Note that the start is over; with `silence_counts`, long silence after it means a hang."""

    def in_session(self, session_id: str) -> None:
        """Note the session, which a later run of the same agent can resume."""

    def configured(self, *, mode: str | None, model: str | None) -> None:
        """Note the mode and the model of the agent's session; None where the agent does not report it."""

    def active(self) -> None:
        """Note a sign of life that is no event."""

    async def ask(self, question: Question) -> Answer:
        """Return what the agent may do, as late as a person answers. A cancel withdraws the question."""
        return Answer.denial(question, "this run has no observer")


@dataclass(frozen=True)
class FormerSession:
    """A session to resume, the prompt to send in place of the run's, and its cost so far (USD)."""

    session_id: str
    prompt: str
    cost: float = 0


@dataclass(frozen=True)
class RunSpec:
    """One run to start: its id, the whole prompt, the working directory and its limits."""

    task_id: str
    prompt: str
    workspace_dir: Path
    env: Mapping[str, str] = field(default_factory=dict)
    """Added to the environment after the runner's own `env`."""
    model: str | None = None
    """The model its definition asks for; runners that cannot choose one ignore it."""
    observer: RunObserver = field(default_factory=RunObserver)
    constraints: RunConstraints = field(default_factory=RunConstraints)
    former: FormerSession | None = None
    policy: Policy = "ask"
    """The policy in force when the run starts: that of its definition, else that of the settings."""
    trusted: bool = False
    """Whether the user trusts the contents of `workspace_dir`."""

    @property
    def must_ask(self) -> bool:
        """Whether the agent has to ask before it acts; only without a list of tools may it do everything."""
        return self.policy != "allowAll" or self.constraints.tools is not None


@dataclass(frozen=True)
class RunResult:
    """How a run ended. `error` is set exactly when the reason is not GOAL.

    `error_kind` is set when the model or its server failed.
    """

    terminate_reason: Literal["GOAL", "ERROR", "MAX_TURNS"]
    final_message: str | None
    emitted_vars: dict[str, Any]
    error: str | None
    error_kind: ErrorKind | None = None


def missing_outputs(expected: Iterable[str], emitted: Container[str]) -> str | None:
    """Return the error of a run that ended without outputs it was asked for; None if it gave them all."""
    missing = [name for name in expected if name not in emitted]
    return f"the run ended without its expected outputs: {', '.join(missing)}" if missing else None


def enqueue_message(waiting: list[str], text: str) -> None:
    """Queue a message for an agent's next turn. Raises Overloaded when too many wait already."""
    if len(waiting) >= MESSAGES_WAITING:
        raise Overloaded(f"{len(waiting)} messages are waiting for the agent; send this one again later")
    waiting.append(text)


class MessageChannel(Protocol):
    """Sends messages to an agent while it runs."""

    @property
    def listens(self) -> bool:
        """Whether its session is open and it may get another turn."""

    def send(self, text: str) -> bool:
        """Give the agent a message when its current turn has ended; False if it accepts none any more.

        Raises Overloaded when too many wait already.
        """

    async def last_turn(self, missing: Sequence[str]) -> None:
        """End the current turn and give the agent one more, for `missing` outputs; return at its end.

        Called at most once, when a limit is reached. Later permission requests of the agent are refused.
        """


class RunHandle(Protocol):
    """One started run. The orchestrator holds it until `stop` has returned."""

    @property
    def pid(self) -> int | None:
        """The process of the run, for records and displays; None where it has none of its own."""

    @property
    def channel(self) -> MessageChannel | None:
        """How to send messages to the run; None if it accepts only its prompt."""

    async def result(self) -> RunResult:
        """Wait for the natural or forced end; every event that counts was emitted by then.

        Called by the orchestrator, any number of times; cancelling the wait leaves the run alone. A failing
        child is a result, never an exception. Its processes may still be ending: `stop` waits for them.
        """

    async def stop(self, limit: float = 5.0) -> None:
        """End the run within `limit` seconds and leave nothing of it.

        The steps that let the program end by itself get less time when the limit is small. Called at cancel,
        at a hard time limit and at the end of the Host; any number of times, also at once, before and after
        the end; a smaller limit wins.
        """


class Runner(Protocol):
    """One configured way to execute subagents, such as one command. It holds no state of its runs."""

    @property
    def name(self) -> str:
        """The key under `runners` in the settings."""

    @property
    def type(self) -> str:
        """`acp`, `command` or `builtin`."""

    @property
    def listens(self) -> bool:
        """Whether its runs accept messages in addition to the prompt."""

    @property
    def unsupported(self) -> Mapping[RunnerOption, str]:
        """The launch options that the runner does not support, with reasons. Such a launch is refused."""

    def check(self) -> None:
        """Raise `RunnerUnavailable` when the program cannot be found.

        Called before a launch is accepted and to list the runners; quick, and it starts nothing.
        """

    async def start(self, spec: RunSpec, emit: Emit) -> RunHandle:
        """Start the run and return as soon as its process exists.

        Called once a slot is held. Raises `RunnerUnavailable` when nothing could be started, and
        `InvalidParams` for a prompt that cannot be handed over.
        """
