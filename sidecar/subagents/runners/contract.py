"""The interface between the orchestrator and the runners. A runner starts runs; a handle controls one run."""

from collections.abc import Awaitable, Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from sidecar.api.errors import LaunchFailed, Overloaded
from sidecar.api.mcp_servers import McpServerEntry
from sidecar.api.runs.async_tasks import Changes, ErrorKind, PlacementState
from sidecar.api.runs.permissions import Policy
from sidecar.subagents.equipment.attachments import Attached
from sidecar.subagents.equipment.servers import Server
from sidecar.subagents.fold.variables import EMITTED_BYTES
from sidecar.subagents.limits.constraints import RunConstraints, RunnerOption
from sidecar.subagents.permissions.question import Answer, Question
from sidecar.subagents.questions.question import AgentQuestion, Reply

Emit = Callable[[dict[str, Any]], Awaitable[None]]
"""Record one event of a run, without `seq` and `ts`. Waits while the journal is behind.

The wait applies back-pressure: the runner stops reading, so its child blocks on a full pipe.
"""


MESSAGES_WAITING = 20
"""The most messages that may wait for the end of an agent's turn."""


class RunnerUnavailable(LaunchFailed):
    """The runner cannot start a run. `data` has `reason`, which names the cause and the remedy."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, reason=reason)


@dataclass(frozen=True)
class AgentStore:
    """The store in which an agent keeps its sessions; the `environment` says where that is.

    `replaces_reports` means that what the agent reports is wrong, and its store has the right numbers.
    """

    environment: Mapping[str, str]
    replaces_reports: bool = False


class RunObserver:
    """Observe one run. This base class ignores every report and denies every permission request."""

    def ready(self, *, silence_counts: bool) -> None:
        """Report the end of the startup. With `silence_counts`, long inactivity afterwards means a hang."""

    def in_session(self, session_id: str) -> None:
        """Report the session ID, with which a later run of the same agent can resume the session."""

    def stored_as(self, session_id: str, store: AgentStore) -> None:
        """Report the session's ID in the agent's own store."""

    def configured(self, *, mode: str | None, model: str | None, effort: str | None = None) -> None:
        """Report the configuration of the agent's session. None means that the agent does not report it."""

    def sign_in_required(self) -> None:
        """Report that the agent refuses to work until a person signs in."""

    def active(self) -> None:
        """Report activity that produces no event."""

    async def ask(self, question: Question) -> Answer:
        """Return the answer to a permission request, which may take long. Cancel to withdraw the request."""
        return Answer.denial(question, "this run has no observer")

    async def ask_user(self, question: AgentQuestion) -> Reply:
        """Return the answer to a question, which may take long. Cancel to withdraw the question."""
        return Reply("decline", reason="Declined: this run has no observer.")

    async def decline(self, question: AgentQuestion, reason: str) -> Reply:
        """Decline a question, and report the reason."""
        return Reply("decline", reason=f"Declined: {reason}.")

    async def before_kill(self, *, ended_turn: bool) -> None:
        """Examine what an agent left before it is killed; called once or twice.

        `ended_turn` is whether the agent ended its last turn itself, on request if the run is stopped.
        """

    def placed(self, node: str | None, state: PlacementState) -> None:
        """Report where a run on a cluster is, each time that the run reports."""

    async def keep(self, record: dict[str, Any]) -> None:
        """Save durably what a later process needs to find the run on its cluster."""

    def time_left(self, seconds: float) -> None:
        """Report how much of its time limit a run that is found again has left."""

    def brought_back(self, changes: Changes) -> None:
        """Report what a run on a cluster changed, once its commit is here."""

    def left_cluster(self) -> None:
        """Report that nothing of an ended run is left on its cluster."""

    async def next_report(self) -> str | None:
        """Wait for the end of a subagent that the agent launched, and return the reminder of it.

        Returns None at once if nothing is left to report. Called between turns; cancel to stop waiting.
        """
        return None


@dataclass(frozen=True)
class FormerSession:
    """A session to resume, the prompt that replaces the run's prompt, and the cost so far in USD."""

    session_id: str
    prompt: str
    cost: float = 0


@dataclass(frozen=True)
class RunSpec:
    """One run to start: its ID, the whole prompt, the working directory and its limits."""

    task_id: str
    prompt: str
    workspace_dir: Path
    env: Mapping[str, str] = field(default_factory=dict)
    """Added to the environment after the runner's own `env`."""
    model: str | None = None
    """The model that the launch or its definition names. Runners that cannot choose a model ignore it."""
    mode: str | None = None
    """The mode to choose in the agent's session."""
    effort: str | None = None
    """The effort to choose in the agent's session."""
    observer: RunObserver = field(default_factory=RunObserver)
    constraints: RunConstraints = field(default_factory=RunConstraints)
    former: FormerSession | None = None
    resumes: tuple[str, ...] = ()
    """The runs on clusters that this one resumes, the last first, unless they changed nothing."""
    opens_only: bool = False
    """End the run when the agent's session is open, without a prompt."""
    policy: Policy = "ask"
    """The policy at the start of the run, from its definition or else from the settings."""
    trusted: bool = False
    """Whether the user trusts the contents of `workspace_dir`."""
    servers: tuple[Server, ...] = ()
    """The MCP servers that the agent gets besides those of its own configuration."""
    server_entries: Mapping[str, McpServerEntry] = field(default_factory=dict)
    """The same for a run on a cluster, whose node fills in its own variables."""
    directories: tuple[Path, ...] = ()
    """Folders that the agent may use besides `workspace_dir`."""
    attachments: tuple[Attached, ...] = ()
    """Files and images of the first prompt."""
    heard: int = 0
    """For a run that is found again: the number of the last line of its node that is recorded."""
    timeout_seconds: float | None = None
    """The time limit of the run, which the orchestrator applies; None for none."""

    @property
    def must_ask(self) -> bool:
        """Whether the agent has to ask before it acts: always, except with `allowAll` and all tools."""
        return self.policy != "allowAll" or self.constraints.tools is not None


@dataclass(frozen=True)
class RunResult:
    """The result of a run. `error` is set if and only if the reason is not GOAL.

    `error_kind` is set if the model or its server failed, and `retry_after_seconds` if the server asks to
    wait. `is_lost` means that the run on a cluster cannot be reached any more.
    """

    terminate_reason: Literal["GOAL", "ERROR", "MAX_TURNS", "TIMEOUT"]
    final_message: str | None
    emitted_vars: dict[str, Any]
    error: str | None
    error_kind: ErrorKind | None = None
    retry_after_seconds: float | None = None
    is_lost: bool = False


def missing_outputs(
    expected: Iterable[str], emitted: Container[str], left_out: Mapping[str, int], block: str | None = None
) -> str | None:
    """Return an error that names the expected outputs a run did not emit, or that were too large to keep.

    None if it emitted all of them. `left_out` has the bytes of those that were too large, and `block` says
    why an agent's last block of outputs was not read.
    """
    missing = [name for name in expected if name not in emitted]
    never = [name for name in missing if name not in left_out]
    unread = "" if block is None else f" (its last block of outputs was not read: {block})"
    errors = [f"the run ended without its expected outputs: {', '.join(never)}{unread}"] if never else []
    errors += [
        f"the expected output {name} is too large to keep: it has about {left_out[name]:,} bytes, and all "
        f"variables of a run together at most {EMITTED_BYTES:,}. Write it to a file, and emit the path"
        for name in missing
        if name in left_out
    ]
    return "; ".join(errors) or None


def enqueue_message(waiting: list[str], text: str) -> None:
    """Queue a message for an agent's next turn. Raises Overloaded if the queue is full."""
    if len(waiting) >= MESSAGES_WAITING:
        raise Overloaded(f"{len(waiting)} messages are waiting for the agent; send this one again later")
    waiting.append(text)


class MessageChannel(Protocol):
    """Sends messages to an agent while it runs."""

    @property
    def listens(self) -> bool:
        """Whether the session is open and the agent can get another turn."""

    def send(self, text: str) -> bool:
        """Queue a message for delivery after the current turn. Return False if the agent accepts none.

        Raises Overloaded if the queue is full.
        """

    async def steer(self, text: str) -> bool:
        """Give the agent a message during its current turn. Return False if it cannot take one now."""

    async def last_turn(self, missing: Sequence[str]) -> None:
        """End the current turn, run one last turn that asks for the `missing` outputs, and wait for its end.

        Called at most once, when the run reaches a limit. Denies later permission requests of the agent.
        """


class RunHandle(Protocol):
    """One started run. The orchestrator holds it until `stop` has returned."""

    @property
    def pid(self) -> int | None:
        """The process ID of the run, for records and displays; None if it has no process of its own."""

    @property
    def channel(self) -> MessageChannel | None:
        """The channel for messages to the run; None if the run accepts only its prompt."""

    async def result(self) -> RunResult:
        """Wait for the run to end and return its result. Events that affect the result are emitted before.
        The orchestrator may call this any number of times. Cancelling the wait does not affect the run. A
        child that fails yields a result, never an exception. Processes may still be exiting; `stop` waits for
        them.
        """

    async def stop(self, limit: float = 5.0) -> None:
        """End the run and all its processes within `limit` seconds.

        A small limit leaves less time for the program to exit on its own. Called on cancel, at a hard time
        limit and when the Host ends. Safe to call any number of times, concurrently, and after the end; the
        smallest limit wins.
        """


class Runner(Protocol):
    """A configured way to execute subagents, such as a command. It keeps no state of its runs."""

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
        """Raise `RunnerUnavailable` if the program cannot be found.

        Called before each launch and to list the runners, so it is fast and starts no process.
        """

    async def start(self, spec: RunSpec, emit: Emit) -> RunHandle:
        """Start the run and return as soon as its process exists.

        The caller holds a slot. Raises `RunnerUnavailable` if the process cannot be started, and
        `InvalidParams` if the prompt cannot be passed to it.
        """
