"""The contract between a launch and its run: the abort handle and the started run."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from sidecar.subagents.tasks.model import Output
from sidecar.subagents.tasks.outcome import Outcome, cancelled
from sidecar.subagents.tasks.signals import call_safely
from sidecar.subagents.tasks.timeouts import TimeoutChoice


class Clock(Protocol):
    """The time limit of a run. It pauses while the run waits for a person."""

    def pause(self) -> None:
        """Stop the clock."""

    def resume(self) -> None:
        """Resume the clock."""

    def set_left(self, seconds: float) -> None:
        """Change the remaining time."""


class Abort:
    """Stop a launch and its run once, with an outcome, by calling every handler.

    `clock` is the time limit of the run. `on_soft_limit` starts the last turn of a run at a limit; it
    returns False if the run cannot have one now.
    """

    def __init__(self) -> None:
        self.clock: Clock | None = None
        self.on_soft_limit: Callable[[], bool] | None = None
        self._limit: Outcome | None = None
        self._outcome: Outcome | None = None
        self._handlers: dict[object, Callable[[], object]] = {}

    @property
    def aborted(self) -> bool:
        """Whether `abort` was called."""
        return self._outcome is not None

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the first `abort`; None before."""
        return self._outcome

    def abort(self, outcome: Outcome | None = None) -> None:
        """Call every handler and log their errors. Later calls do nothing.

        Without an outcome, the run counts as cancelled by its user.
        """
        if self._outcome is not None:
            return
        self._outcome = outcome or cancelled("user")
        handlers, self._handlers = self._handlers, {}
        for handler in handlers.values():
            call_safely(handler)

    def reach_limit(self, outcome: Outcome) -> None:
        """Let the run have its last turn before `end_at_limit`, or abort it. Idempotent."""
        if self.aborted or self._limit is not None:
            return
        self._limit = outcome
        if self.on_soft_limit is None or not self.on_soft_limit():
            self.abort(outcome)

    def end_at_limit(self) -> None:
        """Abort if a limit was reached. Call this when the last turn or its grace period ends."""
        if self._limit is not None:
            self.abort(self._limit)

    def on_abort(self, handler: Callable[[], object]) -> Callable[[], None]:
        """Call `handler` at the abort, or now if it was before; return a function that removes it."""
        key = object()
        if self.aborted:
            call_safely(handler)
        else:
            self._handlers[key] = handler

        def unsubscribe() -> None:
            self._handlers.pop(key, None)

        return unsubscribe


@dataclass(frozen=True)
class Resumption:
    """The input for a run that continues an ended one.

    `replay` describes the ended run to a fresh agent. `session_id` is the session that the same agent can
    load instead, and `session_cost` its cost so far in USD. `text` is the client's message. `runs` are those
    of the ended run and the ones that it resumed, one after the other, that may have changes on a cluster.
    """

    replay: str
    session_id: str | None = None
    session_cost: float = 0
    text: str | None = None
    runs: tuple[str, ...] = ()


class Launchable(Protocol):
    """A checked launch, reduced to what its execution uses."""

    @property
    def subagent_name(self) -> str:
        """The name of the subagent, for messages."""

    @property
    def goal_prompt(self) -> str:
        """The goal of the run."""

    @property
    def timeout(self) -> TimeoutChoice:
        """The time limit of the launch and the run together."""

    @property
    def update_output(self) -> Callable[[str], object] | None:
        """Called with the ID of the run, then with each piece of the agent's text."""


class StartedRun(Protocol):
    """The result of a launch: a run that starts to work with `run`."""

    on_message: Callable[[str], object] | None
    """Called with each piece of the agent's text."""

    @property
    def agent_id(self) -> str:
        """The ID of the run and of its task."""

    @property
    def output(self) -> Output | None:
        """The output so far, even after a timeout or an error."""

    async def run(self) -> object:
        """Run to the end; return or raise soon after an abort."""

    def dispose(self) -> Awaitable[object]:
        """Release all resources of the run.

        If the Host shuts down meanwhile, this is called a second time with less time left.
        """


StartRun = Callable[[Abort], Awaitable[StartedRun]]
"""Start one run; raise if the start fails or is aborted."""
